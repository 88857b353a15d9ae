(open-input-file "/no/such/file")
