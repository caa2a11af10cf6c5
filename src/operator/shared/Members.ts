/** Members of archives that are small texts. */
import { Schema } from "effect"
import type { Member } from "./Tar.ts"

export const textMember = (name: string, text: string): Member => {
  const bytes = Buffer.from(text)
  return { name, size: bytes.length, bytes: [bytes] }
}

export const jsonMember = <A, I>(name: string, schema: Schema.Codec<A, I>, value: A): Member =>
  textMember(name, `${JSON.stringify(Schema.encodeSync(Schema.toCodecJson(schema))(value), undefined, 2)}\n`)
