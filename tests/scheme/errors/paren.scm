(display 1) )
