// Writes as much as it can: lines, one line that never ends, or empty lines.
import { writeSync } from "node:fs"

const content = { lines: "a line of some words\n", line: "x", empty: "\n" }[process.argv[2]]
const part = Buffer.alloc(64 * 1024, content)
for (;;) writeSync(1, part)
