(letrec ((a b) (b 1)) a)
