# run: not tenon check %s
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        t0 = (x, x)
        t1 = (t0, t0)
        t2 = (t1, t1)
        t3 = (t2, t2)
        t4 = (t3, t3)
        t5 = (t4, t4)
        t6 = (t5, t5)
        t7 = (t6, t6)
        t8 = (t7, t7)
        t9 = (t8, t8)
        t10 = (t9, t9)
        t11 = (t10, t10)
        t12 = (t11, t11)
        return t12
# expect:
%s:17:9: error: the tuple's type has more than 4096 parts [type-error]
        t11 = (t10, t10)
        ^~~~~~~~~~~~~~~~
