// Opens files until it may open no more.
import { openSync } from "node:fs"

let opened = 0
try {
  for (; opened < 100_000; opened++) openSync("/dev/null", "r")
} catch (error) {
  process.stdout.write(`${error.code} ${opened}\n`)
}
