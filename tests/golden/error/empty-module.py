# run: not tenon check %s
from tvm.script import tir as T
# expect:
%s:3:1: error: there is no @I.ir_module class and no function in this file [empty-module]

^
