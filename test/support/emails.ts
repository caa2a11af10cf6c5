/** How people sign up and in with email addresses. */
import { Effect } from "effect"
import { ok } from "./answers.ts"
import { codeTo, resetPage } from "./mails.ts"
import { guest, type Person, password, personIn } from "./people.ts"

/** The address of somebody by their handle. */
export const addressOf = (handle: string) => `${handle}@asgard.example`

export const signUpByEmail = (body: object, search = "") =>
  guest.post(`/auth/email-password/signup${search}`, body)

export const signInByEmail = (email: unknown, token: unknown = password) =>
  guest.post("/auth/email-password/signin", { email, password: token })

export const signUpByCode = (body: object, search = "") => guest.post(`/auth/email/signup${search}`, body)

export const askForCode = (email: string) => guest.post("/auth/email/signin", { email })

export const verify = (email: unknown, code: unknown) => guest.post("/auth/email/verify", { email, code })

export const askForReset = (email: unknown, page: object = resetPage) =>
  guest.post("/auth/email-password/reset", { email, token_url: page })

export const reset = (token: unknown, to: unknown, more: object = {}) =>
  guest.post("/auth/password/reset", { token, new: to, ...more })

/** Signs up with an address and a password; the address is not verified. */
export const emailMember = (handle: string) =>
  Effect.map(signUpByEmail({ email: addressOf(handle), password, handle }), (answer): Person => {
    ok(answer)
    return personIn(answer)
  })

/** Signs up with an address alone; the address is not verified. */
export const codeMember = (handle: string) =>
  Effect.map(signUpByCode({ email: addressOf(handle), handle }), (answer): Person => {
    ok(answer)
    return personIn(answer)
  })

/** Sends the last code to an address back. */
export const confirm = (email: string) => Effect.flatMap(codeTo(email), (code) => verify(email, code))

/** An account as its owner sees it. */
export const accountOf = (person: Person) => Effect.map(person.get("/accounts"), ok)
