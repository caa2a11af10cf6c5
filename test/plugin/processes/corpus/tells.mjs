// Writes what it finds: its environment, its arguments, its directory, its open files.
import { readdirSync, readlinkSync } from "node:fs"

const files = readdirSync("/proc/self/fd").flatMap((name) => {
  try {
    return [`${name} ${readlinkSync(`/proc/self/fd/${name}`)}`]
  } catch {
    return []
  }
})
const told = { environment: process.env, args: process.argv.slice(2), directory: process.cwd(), files }
process.stdout.write(`${JSON.stringify(told)}\n`)
