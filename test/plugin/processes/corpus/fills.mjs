// Fills its disk: with one file, with many, or with files that have no name any more.
import { openSync, unlinkSync, writeFileSync, writeSync } from "node:fs"

const [how] = process.argv.slice(2)
const bytes = Buffer.alloc(1024 * 1024, 1)
process.stdout.write("started\n")
let number = 0
if (how === "long") {
  const file = openSync("long", "w")
  try {
    for (;;) writeSync(file, bytes)
  } catch (error) {
    process.stdout.write(`${error.code}\n`)
  }
}
setInterval(() => {
  number++
  if (how === "many") writeFileSync(`file-${number}`, bytes)
  if (how === "tiny") for (let i = 0; i < 500; i++) writeFileSync(`file-${number}-${i}`, "")
  if (how === "nameless") {
    const file = openSync(`file-${number}`, "w")
    unlinkSync(`file-${number}`)
    writeSync(file, bytes)
  }
}, 5)
