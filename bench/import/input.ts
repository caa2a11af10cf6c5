/** An export to import, as a directory: the same one for the same numbers. It is kept between runs. */
import { existsSync } from "node:fs"
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Kind, partLength, partOf } from "../../src/domain/exchange/Kinds.ts"
import { jsonText, Manifest, manifestName, manifestOf } from "../../src/domain/exchange/Manifest.ts"
import { makeRecords, type Size } from "./records.ts"

const makeParts = (root: string) => {
  const parts = new Map<Kind, { number: number; held: Array<string>; length: number }>()

  const write = async (kind: Kind) => {
    const part = parts.get(kind)
    if (part === undefined || part.held.length === 0) return
    part.number += 1
    await mkdir(join(root, kind), { recursive: true })
    const file = await open(join(root, partOf(kind, part.number)), "wx")
    await file.writeFile(part.held.join(""))
    await file.close()
    part.held = []
    part.length = 0
  }

  return {
    add: async (kind: Kind, record: object) => {
      const part = parts.get(kind) ?? { number: 0, held: [], length: 0 }
      parts.set(kind, part)
      const line = `${JSON.stringify(record)}\n`
      part.held.push(line)
      part.length += Buffer.byteLength(line)
      if (part.length >= partLength) await write(kind)
    },
    end: async () => {
      for (const kind of parts.keys()) await write(kind)
    }
  } as const
}

/** Where an export with so many posts is, which is made where it is not there. */
export const inputOf = async (directory: string, size: Size): Promise<string> => {
  const path = join(directory, `export-${size.posts}-${size.threads}`)
  if (existsSync(path)) return path
  const unfinished = `${path}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  const about = { made_by: "bench", title: "A forum", with_addresses: false }
  await writeFile(join(unfinished, manifestName), jsonText(Manifest, manifestOf(about)))
  const parts = makeParts(unfinished)
  await makeRecords(size, parts.add)
  await parts.end()
  await rename(unfinished, path)
  return path
}
