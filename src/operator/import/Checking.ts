/** Compares an export with what it says of itself in its last file, before anything is written. */
import { createHash } from "node:crypto"
import { Schema } from "effect"
import manifest from "../../../package.json" with { type: "json" }
import { Contents, contentsName } from "../../domain/exchange/Manifest.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import type { Progress } from "../shared/Progress.ts"
import { collect, digestOf, type Input, kindOfPart, type Member } from "./Input.ts"

// More than the list of all parts of a terabyte has.
const contentsMax = 64 * 1024 * 1024

interface Measured {
  readonly bytes: number
  readonly sha256: string
}

const damaged = (what: string) =>
  new OperatorFailure({
    message: `The export is damaged or not whole: ${what}. Copy or make it again, or import what is there of it with --damaged. Nothing was changed.`
  })

const decodeContents = Schema.decodeUnknownSync(Contents)

const readContents = (text: Buffer): Contents => {
  try {
    return decodeContents(JSON.parse(text.toString("utf8")))
  } catch {
    throw damaged(`${contentsName} does not say what there is`)
  }
}

const measure = async ({ bytes }: Member, told: (bytes: number) => void): Promise<Measured> => {
  const hash = createHash("sha256")
  let length = 0
  for await (const part of bytes()) {
    hash.update(part)
    length += part.length
    told(part.length)
  }
  return { bytes: length, sha256: hash.digest("hex") }
}

/** Compares the parts with the list of them. */
const checkParts = ({ parts }: Contents, found: ReadonlyMap<string, Measured>) => {
  for (const { bytes, name, sha256 } of parts) {
    const part = found.get(name)
    if (part === undefined) throw damaged(`${name} is not there`)
    if (part.bytes !== bytes) throw damaged(`${name} has ${part.bytes} bytes, and had ${bytes}`)
    if (part.sha256 !== sha256) throw damaged(`${name} is not what it was`)
  }
  const named = new Set(parts.map(({ name }) => name))
  for (const name of found.keys())
    if (!named.has(name)) throw damaged(`${name} is there, which ${contentsName} does not name`)
}

const checkFiles = ({ files }: Contents, found: Contents["files"]) => {
  if (files.number !== found.number || files.bytes !== found.bytes)
    throw damaged(
      `files/ has ${found.number} files with ${found.bytes} bytes, and had ${files.number} with ${files.bytes}`
    )
}

/** What there is of an input. */
const measureAll = async (input: Input, progress: Progress, signal: AbortSignal) => {
  const parts = new Map<string, Measured>()
  const files = { number: 0, bytes: 0 }
  let contents: Contents | undefined
  let done = 0
  const told = (bytes: number) => {
    signal.throwIfAborted()
    done += bytes
    progress.at("comparing with contents.json", done)
  }
  for await (const member of input.everything()) {
    const { name } = member
    const digest = digestOf(name)
    if (name === contentsName) contents = readContents(await collect(member.bytes(), name, contentsMax))
    else if (digest !== undefined) {
      const { bytes, sha256 } = await measure(member, told)
      if (sha256 !== digest) throw damaged(`${name} is not what it was`)
      files.number += 1
      files.bytes += bytes
    } else if (kindOfPart(name) !== undefined) parts.set(name, await measure(member, told))
  }
  return { contents, files, parts }
}

/** Whether this program made it, which lists the contents of what it makes. */
const isOurs = ({ manifest: { made_by } }: Input) => made_by.startsWith(`${manifest.name} `)

/** Fails, and names the file, where an export is not as it was made. One of another program may say nothing of that. */
export const checkWhole = async (input: Input, progress: Progress, signal: AbortSignal) => {
  if (!input.mayHaveContents && !isOurs(input)) return
  const { contents, files, parts } = await measureAll(input, progress, signal)
  if (contents !== undefined) {
    checkParts(contents, parts)
    checkFiles(contents, files)
  } else if (isOurs(input)) throw damaged(`${contentsName} is not there`)
}
