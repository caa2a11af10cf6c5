/** Passkeys in the tests: each helper is one step of what a browser does. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, ok } from "../support/answers.ts"
import { makePasskey, type Passkey } from "../support/authenticator.ts"
import { guest, type Person, personIn } from "../support/people.ts"

/** What the service asks of an authenticator, with the state that the browser keeps. */
export interface Asked {
  readonly options: Answer["json"]
  readonly state: string
}

export const stateOf = (answer: Answer): string =>
  /forum-webauthn=([^;]+);/.exec(answer.headers["set-cookie"] ?? "")?.[1] ??
  assert.fail(`There is no state: ${answer.text}`)

const askedIn = (answer: Answer): Asked => ({ options: ok(answer), state: stateOf(answer) })

const cookies = ({ cookie }: Person, state: string | undefined) => {
  const both = [
    ...(cookie === undefined ? [] : [`forum-session=${cookie}`]),
    ...(state === undefined ? [] : [`forum-webauthn=${state}`])
  ]
  return both.length === 0 ? {} : { cookie: both.join("; ") }
}

export const askForCreation = (handle: string, person = guest) =>
  Effect.map(person.get(`/auth/webauthn/make/${encodeURIComponent(handle)}`), askedIn)

export const sendCreation = (
  credential: unknown,
  state: string | undefined,
  { invitation, person = guest }: { readonly person?: Person; readonly invitation?: string } = {}
) => {
  const search = invitation === undefined ? "" : `?invitation_id=${invitation}`
  return person.post(`/auth/webauthn/make${search}`, credential, cookies(person, state))
}

export const askForAssertion = (handle: string, person = guest) =>
  Effect.map(person.get(`/auth/webauthn/assert/${encodeURIComponent(handle)}`), askedIn)

export const sendAssertion = (credential: unknown, state: string | undefined, person = guest) =>
  person.post("/auth/webauthn/assert", credential, cookies(person, state))

/** Signs up with a passkey. */
export const signUpWith = Effect.fnUntraced(function* (handle: string, passkey: Passkey = makePasskey()) {
  const { options, state } = yield* askForCreation(handle)
  const answer = yield* sendCreation(passkey.create(options), state)
  ok(answer)
  return personIn(answer)
})

/** Adds a passkey to the account of someone with this handle. */
export const addTo = Effect.fnUntraced(function* (
  person: Person,
  handle: string,
  passkey: Passkey = makePasskey()
) {
  const { options, state } = yield* askForCreation(handle, person)
  const answer = yield* sendCreation(passkey.create(options), state, { person })
  ok(answer)
  return personIn(answer)
})

/** Tries to sign in with a passkey. */
export const signInWith = Effect.fnUntraced(function* (
  handle: string,
  passkey: Passkey,
  odd: Parameters<Passkey["assert"]>[1] = {}
) {
  const { options, state } = yield* askForAssertion(handle)
  return yield* sendAssertion(passkey.assert(options, odd), state)
})
