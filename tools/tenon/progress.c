/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A thread of its own writes the line, since what takes long says nothing for long. It starts with the
 * first thing that is said and ends with progress_end; there is one line a process. */
#include "progress.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 64, TICK_MS = 100 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t has_ended;
  pthread_t thread;
  bool is_running;
  bool is_shown;
  struct timespec start;
  char what[TEXT_BYTES];
  char part[TEXT_BYTES];
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .has_ended = PTHREAD_COND_INITIALIZER};

static double seconds_since(const struct timespec *start) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

static void *show(void *arg) {
  (void)arg;
  pthread_mutex_lock(&line.lock);
  while (line.is_running) {
    struct timespec until;
    double seconds = seconds_since(&line.start);
    if (seconds >= 1) {
      fprintf(stderr, "\r\033[K%s%s%s  %.1f s", line.what, line.part[0] != '\0' ? ": " : "",
              line.part, seconds);
      line.is_shown = true;
    }
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    (void)pthread_cond_timedwait(&line.has_ended, &line.lock, &until);
  }
  pthread_mutex_unlock(&line.lock);
  return NULL;
}

void progress_say(const char *what, const char *part) {
  if (isatty(STDERR_FILENO) == 0) {
    return;
  }
  pthread_mutex_lock(&line.lock);
  if (strcmp(line.what, what) != 0) {
    (void)clock_gettime(CLOCK_MONOTONIC, &line.start);
  }
  (void)snprintf(line.what, sizeof line.what, "%s", what);
  (void)snprintf(line.part, sizeof line.part, "%s", part);
  if (!line.is_running) {
    line.is_running = true;
    line.is_running = pthread_create(&line.thread, NULL, show, NULL) == 0;
  }
  pthread_mutex_unlock(&line.lock);
}

void progress_end(void) {
  pthread_mutex_lock(&line.lock);
  bool was_running = line.is_running;
  line.is_running = false;
  line.what[0] = '\0';
  pthread_cond_signal(&line.has_ended);
  pthread_mutex_unlock(&line.lock);
  if (was_running) {
    (void)pthread_join(line.thread, NULL);
  }
  if (line.is_shown) {
    fputs("\r\033[K", stderr);
    line.is_shown = false;
  }
}
