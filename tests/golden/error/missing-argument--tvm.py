# run: not tenon check %s
# an axis without binding, T.match_buffer without arguments
@T.prim_func
def f(a: T.handle):
    A = T.match_buffer()
    B = T.match_buffer(a)
    for i in range(4):
        with T.block("b"):
            vi = T.axis.spatial(4)
            T.evaluate(vi)
# expect:
%s:5:9: error: match_buffer needs the argument 'param' [missing-argument]
    A = T.match_buffer()
        ^~~~~~~~~~~~~~~~
%s:6:9: error: match_buffer needs the argument 'shape' [missing-argument]
    B = T.match_buffer(a)
        ^~~~~~~~~~~~~~~~~
%s:9:18: error: spatial needs the argument 'binding' [missing-argument]
            vi = T.axis.spatial(4)
                 ^~~~~~~~~~~~~~~~~
