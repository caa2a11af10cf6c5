/** Hashes of passwords of NodeBB: bcrypt of the password, or of its SHA-512. */
import { passwordHashForm } from "../../../domain/authentication/PasswordHashForms.ts"
import { textOf } from "../shared/Fields.ts"
import type { Scratch } from "../shared/Scratch.ts"

export const passwords = function* (scratch: Scratch) {
  for (const { account_id, old, password, wrapped } of scratch.each(
    "select id as old, new_id('users', id) as account_id, password, wrapped from users where password <> '' order by 2"
  )) {
    const hash = `${wrapped === "t" ? "$sha512" : ""}${textOf(password)}`
    if (passwordHashForm(hash)?._tag === "Bcrypt") yield { account_id, hash }
    else scratch.tell("users", old, "password_form_unknown")
  }
}
