/** What the identity tests share: how each refusal looks on the wire, and what a cookie says. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Answer, Person } from "./people.ts"

interface Kind {
  readonly status: number
  readonly name: string
  readonly title: string
}

const kind = (status: number, name: string, title: string): Kind => ({ status, name, title })

/** The problems that clients of the identity area may meet, word for word. */
export const problems = {
  invalid: kind(400, "invalid-request", "The request is not valid"),
  handleInvalid: kind(400, "handle-invalid", "This handle cannot be used"),
  signatureTooLong: kind(400, "signature-too-long", "The signature is too long"),
  passwordNotSet: kind(400, "password-not-set", "This account has no password"),
  passwordAlreadySet: kind(400, "password-already-set", "This account already has a password"),
  unauthenticated: kind(401, "unauthenticated", "Sign in to do this"),
  passwordWrong: kind(401, "password-wrong", "The password is wrong"),
  forbidden: kind(403, "forbidden", "Your roles do not allow this"),
  suspended: kind(403, "account-suspended", "This account is suspended"),
  signInSuspended: kind(403, "sign-in-suspended", "This account is suspended and cannot sign in"),
  registrationClosed: kind(403, "registration-closed", "Signing up is not possible with this invitation"),
  administratorHidden: kind(
    403,
    "administrator-hidden",
    "Only administrators see an administrator's account"
  ),
  accountNotFound: kind(404, "account-not-found", "There is no such account"),
  handleUnknown: kind(404, "handle-unknown", "No account has this handle"),
  roleNotFound: kind(404, "role-not-found", "There is no such role"),
  handleTaken: kind(409, "handle-taken", "Another account has this handle"),
  unsupportedMediaType: kind(415, "unsupported-media-type", "The operation does not take this kind of body"),
  tooManyAttempts: kind(429, "too-many-attempts", "Too many wrong passwords; try again later")
} as const

/** Asserts that an answer is this problem and nothing else, and that it signs nobody in. */
export const assertProblem = (answer: Answer, { name, status, title }: Kind, metadata: object = {}) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.headers["content-type"], "application/problem+json")
  assert.isUndefined(answer.headers["set-cookie"])
  const { trace_id, ...body } = answer.json
  assert.match(trace_id, /^(?!0{32})[0-9a-f]{32}$/)
  assert.deepStrictEqual(body, { type: `/api/problems/${name}`, title, status, metadata })
}

/** Asserts that the request was refused for exactly these places in it. */
export const assertInvalid = (answer: Answer, ...places: ReadonlyArray<string>) => {
  const issues: ReadonlyArray<{ readonly in: string; readonly path: string; readonly message: string }> =
    answer.json?.metadata?.issues ?? []
  assertProblem(answer, problems.invalid, { issues })
  assert.deepStrictEqual(
    issues.map((issue) => `${issue.in} ${issue.path}`.trim()),
    [...places]
  )
  for (const { message } of issues) assert.isNotEmpty(message)
}

/** Asserts that what a person does leaves their account exactly as it was. */
export const assertUnchangedBy = Effect.fnUntraced(function* <E, R>(
  person: Person,
  deeds: Effect.Effect<unknown, E, R>
) {
  const before = yield* person.get("/accounts")
  yield* deeds
  assert.deepStrictEqual((yield* person.get("/accounts")).json, before.json)
})

/** The one cookie that an answer sets: its value and attributes, in no order. */
export const cookieOf = (answer: Answer) => {
  const [pair = "", ...attributes] = (answer.headers["set-cookie"] ?? "").split("; ")
  const [name, value] = pair.split("=", 2)
  return { name, value, attributes: attributes.sort() }
}

export const admin = {
  id: "00000000000000000020",
  name: "Admin",
  colour: "red",
  permissions: ["ADMINISTRATOR"]
}

export const member = {
  id: "00000000000000000010",
  name: "Member",
  colour: "green",
  permissions: [
    "CREATE_POST",
    "READ_PUBLISHED_THREADS",
    "CREATE_REACTION",
    "READ_PUBLISHED_LIBRARY",
    "SUBMIT_LIBRARY_NODE",
    "UPLOAD_ASSET",
    "LIST_PROFILES",
    "READ_PROFILE",
    "CREATE_COLLECTION",
    "LIST_COLLECTIONS",
    "READ_COLLECTION",
    "COLLECTION_SUBMIT"
  ]
}

export const guestRole = {
  id: "0000000000000000000g",
  name: "Guest",
  colour: "gray",
  permissions: [
    "READ_PUBLISHED_THREADS",
    "READ_PUBLISHED_LIBRARY",
    "LIST_PROFILES",
    "READ_PROFILE",
    "LIST_COLLECTIONS",
    "READ_COLLECTION"
  ]
}

const never = "1970-01-01T00:00:00.000Z"

/** A built-in role as it is listed while nobody has edited it. */
export const unedited = (role: typeof member) => ({
  ...role,
  createdAt: never,
  updatedAt: never,
  misc: {},
  meta: {}
})

/** The same as an account holds it. */
export const held = (role: typeof member) => ({ ...unedited(role), badge: false, default: true })
