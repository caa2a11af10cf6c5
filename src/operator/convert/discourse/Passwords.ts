/** Hashes of passwords of Discourse. */
import { existing, someText, textOf } from "../shared/Fields.ts"
import { timeOf } from "../shared/Ids.ts"
import type { Scratch } from "../shared/Scratch.ts"

/** How often releases mixed that did not say so. */
const usualAlgorithm = "$pbkdf2-sha256$i=64000,l=32$"

const base64 = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "")

const hashes = `select u.id as old, new_id('users', u.id) as account_id, coalesce(p.password_hash, u.password_hash) as hash,
    coalesce(p.password_salt, u.salt) as salt, coalesce(p.password_algorithm, u.password_algorithm) as algorithm,
    p.created_at
  from users u left join user_passwords p on p.user_id = u.id
  where coalesce(p.password_hash, u.password_hash) is not null order by 2`

export const passwords = function* (scratch: Scratch) {
  for (const { account_id, algorithm, created_at, hash, old, salt } of scratch.each(hashes)) {
    const form = /^\$?(pbkdf2-sha256\$i=\d{1,9},l=32)\$?$/.exec(someText(algorithm) ?? usualAlgorithm)?.[1]
    const key = Buffer.from(textOf(hash), "hex")
    if (form === undefined || key.length !== 32 || textOf(salt) === "") {
      scratch.tell("users", old, "password_form_unknown")
      continue
    }
    yield existing({
      account_id,
      created_at: timeOf(created_at),
      hash: `$${form}$${base64(Buffer.from(textOf(salt), "utf8"))}$${base64(key)}`
    })
  }
}
