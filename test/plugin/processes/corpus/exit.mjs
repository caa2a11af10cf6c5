// Writes what it was given, and ends with the code that it was given.
process.stdout.write("to the output\n")
process.stderr.write("to the error output\n")
process.exitCode = Number(process.argv[2])
