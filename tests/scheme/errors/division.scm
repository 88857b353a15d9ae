(quotient 1 0)
