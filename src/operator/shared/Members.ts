/** Members of archives that are small texts. */
import type { Schema } from "effect"
import { jsonText } from "../../domain/exchange/Manifest.ts"
import type { Member } from "./Tar.ts"

export const textMember = (name: string, text: string): Member => {
  const bytes = Buffer.from(text)
  return { name, size: bytes.length, bytes: [bytes] }
}

export const jsonMember = <A, I>(name: string, schema: Schema.Codec<A, I>, value: A): Member =>
  textMember(name, jsonText(schema, value))
