(raise '(oops 1))
