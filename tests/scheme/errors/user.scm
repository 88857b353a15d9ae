(error "my message:" 1 "two")
