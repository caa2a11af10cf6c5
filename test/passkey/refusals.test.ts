/** Answers of authenticators that are wrong or malformed: each is refused by name, and none is a failure of the service. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PasskeyInvalid, PasskeyWrong } from "../../src/domain/authentication/Passkey.ts"
import { type Answer, ok } from "../support/answers.ts"
import { base64url, cbor, makePasskey, type Oddity } from "../support/authenticator.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertInvalid, assertProblem, problemOf } from "../support/problems.ts"
import { askForAssertion, askForCreation, sendAssertion, sendCreation, signUpWith } from "./support.ts"

type Credential = ReturnType<ReturnType<typeof makePasskey>["create"]>

/** The credential with other fields in its response. */
const withResponse = <C extends { readonly response: object }>(credential: C, more: object) => ({
  ...credential,
  response: { ...credential.response, ...more }
})

const wrongPlace: ReadonlyArray<readonly [name: string, odd: Oddity]> = [
  ["another challenge", { challenge: base64url(new Uint8Array(32)) }],
  ["no challenge", { challenge: "" }],
  ["the origin of another site", { origin: "https://evil.test" }],
  ["the origin of a site that looks like ours", { origin: "http://www.forum.test.evil.test" }],
  ["our host by another scheme", { origin: "https://www.forum.test" }],
  ["our host at another port", { origin: "http://www.forum.test:8080" }],
  ["no origin", { origin: "null" }],
  ["a key for another host", { rpId: "evil.test" }],
  ["a key for the host above", { rpId: "forum.test" }],
  ["nobody in front of it", { flags: 0x44 }]
]

const cose = (entries: ReadonlyArray<readonly [number, number | string | Uint8Array]>) => new Map(entries)

const wrongKeys: ReadonlyArray<readonly [name: string, odd: Oddity]> = [
  [
    "an algorithm that was not asked for",
    {
      cose: cose([
        [1, 2],
        [3, -35],
        [-1, 2],
        [-2, new Uint8Array(48)],
        [-3, new Uint8Array(48)]
      ])
    }
  ],
  [
    "an algorithm that is not one",
    {
      cose: cose([
        [1, 2],
        [3, "ES256"],
        [-1, 1]
      ])
    }
  ],
  [
    "no algorithm",
    {
      cose: cose([
        [1, 2],
        [-1, 1]
      ])
    }
  ],
  ["an empty key", { cose: cose([]) }],
  [
    "a key that is large enough to take long",
    {
      cose: cose([
        [1, 3],
        [3, -257],
        [-1, new Uint8Array(513).fill(255)],
        [-2, Uint8Array.of(1, 0, 1)]
      ])
    }
  ],
  [
    "a key that is too small to be safe",
    {
      cose: cose([
        [1, 3],
        [3, -257],
        [-1, new Uint8Array(128).fill(255)],
        [-2, Uint8Array.of(1, 0, 1)]
      ])
    }
  ],
  [
    "a key of thousands of bytes",
    {
      cose: cose([
        [1, 3],
        [3, -257],
        [-1, new Uint8Array(512).fill(255)],
        [-2, new Uint8Array(2048).fill(255)]
      ])
    }
  ],
  [
    "a point that is on no curve",
    {
      cose: cose([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(32).fill(1)],
        [-3, new Uint8Array(32).fill(2)]
      ])
    }
  ],
  [
    "the algorithm of another kind of key",
    {
      cose: cose([
        [1, 1],
        [3, -7],
        [-1, 6],
        [-2, new Uint8Array(32)]
      ])
    }
  ],
  ["no key at all", { flags: 0x05 }],
  ["extensions that are not there", { flags: 0xc5 }]
]

layer(People.layer)("a new passkey", (it) => {
  it.effect.each([...wrongPlace, ...wrongKeys, ["the type of a sign-in", { type: "webauthn.get" }] as const])(
    "with %s is refused",
    ([name, odd]) =>
      Effect.gen(function* () {
        yield* Cast
        const handle = `h${name.length}`
        const { options, state } = yield* askForCreation(handle)
        const credential = makePasskey().create(options, odd)
        assertProblem(yield* sendCreation(credential, state), PasskeyInvalid, { reason: "response" })
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select id from passkeys`, [])
        assert.deepStrictEqual(yield* sql`select id from accounts where handle = ${handle}`, [])
      })
  )

  const array = (items: number) =>
    Uint8Array.of(0x9a, items >>> 24, (items >> 16) & 255, (items >> 8) & 255, items & 255)

  const bytes: ReadonlyArray<readonly [name: string, bytes: Uint8Array]> = [
    ["nothing", new Uint8Array()],
    ["a number", cbor(1)],
    ["a text", cbor("fmt")],
    ["a list", cbor([1, 2, 3])],
    ["an empty map", cbor(new Map())],
    [
      "a map of other types",
      cbor(
        new Map<string, number | string>([
          ["fmt", 1],
          ["attStmt", "x"],
          ["authData", 2]
        ])
      )
    ],
    ["authenticator data that is a text", cbor(new Map([["authData", "x".repeat(200)]]))],
    ["authenticator data that is short", cbor(new Map([["authData", new Uint8Array(36)]]))],
    ["authenticator data of zeros", cbor(new Map([["authData", new Uint8Array(400)]]))],
    ["authenticator data of ones", cbor(new Map([["authData", new Uint8Array(400).fill(255)]]))],
    ["lists in lists in lists", new Uint8Array(40_000).fill(0x81)],
    ["maps in maps in maps", new Uint8Array(40_000).fill(0xa1)],
    ["tags of tags of tags", new Uint8Array(40_000).fill(0xc1)],
    ["a list of four billion", array(0xffffffff)],
    ["a text of four billion", Uint8Array.of(0x7a, 255, 255, 255, 255)],
    ["bytes of more than there are numbers", Uint8Array.of(0x5b, 255, 255, 255, 255, 255, 255, 255, 255)],
    ["a map without an end", Uint8Array.of(0xbf)],
    ["a map with a key twice", Uint8Array.of(0xa2, 0x61, 0x61, 1, 0x61, 0x61, 2)],
    ["not a number", Uint8Array.of(0xf9, 0x7e, 0)],
    ["a reserved value", Uint8Array.of(0x1c)]
  ]

  it.effect("whose attestation is not one is refused", () =>
    Effect.gen(function* () {
      yield* Cast
      const { options, state } = yield* askForCreation("odd")
      const credential = makePasskey().create(options)
      for (const [name, attestationObject] of bytes) {
        const odd = withResponse(credential, { attestationObject: base64url(attestationObject) })
        const answer = yield* sendCreation(odd, state)
        assert.strictEqual(problemOf(answer), "passkey-invalid", `${name}: ${answer.text}`)
      }
    })
  )

  it.effect("that is cut off anywhere is refused", () =>
    Effect.gen(function* () {
      yield* Cast
      const { options, state } = yield* askForCreation("cut")
      const credential = makePasskey().create(options)
      const whole = credential.response.attestationObject
      const cut = Array.from({ length: 60 }, (_, index) =>
        whole.slice(0, Math.floor((whole.length * index) / 60))
      )
      for (const attestationObject of cut) {
        const answer = yield* sendCreation(withResponse(credential, { attestationObject }), state)
        assert.strictEqual(
          problemOf(answer),
          "passkey-invalid",
          `${attestationObject.length}: ${answer.text}`
        )
      }
    })
  )

  it.effect("of which any byte was changed is refused or taken, and nothing else", () =>
    Effect.gen(function* () {
      yield* Cast
      let asked = yield* askForCreation("changed")
      let passkey = makePasskey({ algorithm: "EdDSA" })
      const taken: Array<number> = []
      const length = Buffer.from(passkey.create(asked.options).response.attestationObject, "base64url").length
      for (let at = 0; at < length; at += 1) {
        const credential = passkey.create(asked.options)
        const changed = Buffer.from(credential.response.attestationObject, "base64url")
        changed[at] = (changed[at] ?? 0) ^ 0xff
        const attestationObject = base64url(changed)
        const answer = yield* sendCreation(withResponse(credential, { attestationObject }), asked.state)
        assert.oneOf(answer.status, [200, 400], answer.text)
        if (answer.status === 400) continue
        taken.push(at)
        asked = yield* askForCreation(`changed${at}`)
        passkey = makePasskey({ algorithm: "EdDSA" })
      }
      // The host, who was there, and which credential it is; the rest may be any, or is thrown away.
      const start = length - (32 + 1 + 4 + 16 + 2 + 32 + 42)
      const checked = taken.filter(
        (at) => (at >= start && at < start + 33) || (at >= start + 53 && at < start + 87)
      )
      assert.deepStrictEqual(checked, [])
    })
  )

  it.effect("must be complete and of the right types, and names what is not", () =>
    Effect.gen(function* () {
      const { options, state } = yield* askForCreation("typed")
      const credential: Credential = makePasskey().create(options)
      assertInvalid(yield* sendCreation({}, state), "body id", "body rawId", "body response", "body type")
      assertInvalid(yield* sendCreation({ ...credential, id: 1 }, state), "body id")
      assertInvalid(yield* sendCreation({ ...credential, id: "a+b/c=" }, state), "body id")
      assertInvalid(yield* sendCreation({ ...credential, response: null }, state), "body response")
      assertInvalid(
        yield* sendCreation(withResponse(credential, { clientDataJSON: [] }), state),
        "body response.clientDataJSON"
      )
      assertInvalid(
        yield* sendCreation(withResponse(credential, { transports: ["usb", 1] }), state),
        "body response.transports.1"
      )
      assertInvalid(
        yield* sendCreation(withResponse(credential, { transports: Array(17).fill("usb") }), state),
        "body response.transports"
      )
      for (const [field, length] of [
        ["clientDataJSON", 8193],
        ["attestationObject", 65_537],
        ["signature", 4097],
        ["authenticatorData", 8193],
        ["userHandle", 129]
      ] as const) {
        const odd = withResponse(credential, { [field]: "A".repeat(length) })
        assertInvalid(yield* sendCreation(odd, state), `body response.${field}`)
      }
      assertInvalid(
        yield* sendCreation({ ...credential, clientExtensionResults: 1 }, state),
        "body clientExtensionResults"
      )
    })
  )

  it.effect("is refused whose parts contradict each other", () =>
    Effect.gen(function* () {
      yield* Cast
      const { options, state } = yield* askForCreation("parts")
      const [credential, other] = [makePasskey().create(options), makePasskey().create(options)]
      const { attestationObject: _, ...without } = credential.response
      const odd: ReadonlyArray<unknown> = [
        { ...credential, id: other.id },
        { ...credential, rawId: other.id },
        // What it is called is not what its key belongs to.
        { ...credential, id: other.id, rawId: other.id },
        { ...credential, id: "", rawId: "" },
        { ...credential, type: "password" },
        { ...credential, response: without },
        ...["", "null", "[]", "{", '"x"', "1", '{"type":1}', "\u0000", "\ud800"].map((text) =>
          withResponse(credential, { clientDataJSON: base64url(text) })
        ),
        withResponse(credential, { clientDataJSON: "A" })
      ]
      for (const one of odd) {
        assertProblem(yield* sendCreation(one, state), PasskeyInvalid, { reason: "response" })
      }
      ok(yield* sendCreation(credential, state))
    })
  )
})

layer(People.layer)("signing in with a passkey", (it) => {
  it.effect("is refused from other pages, for other hosts and for other questions", () =>
    Effect.gen(function* () {
      yield* Cast
      const passkey = makePasskey()
      yield* signUpWith("sif", passkey)
      const { options, state } = yield* askForAssertion("sif")
      const odd = [
        ...wrongPlace.map(([name, one]) => [name, one.flags === undefined ? one : { flags: 0x04 }] as const),
        ["the type of a sign-up", { type: "webauthn.create" }] as const
      ]
      for (const [name, one] of odd) {
        const answer = yield* sendAssertion(passkey.assert(options, one), state)
        assert.strictEqual(answer.status, 401, `${name}: ${answer.text}`)
        assertProblem(answer, PasskeyWrong, { reason: "response" })
      }
      ok(yield* sendAssertion(passkey.assert(options), state))
    })
  )

  it.effect.each(["ES256", "RS256", "EdDSA"] as const)(
    "with %s is refused if anything that was signed or the signature was changed",
    (algorithm) =>
      Effect.gen(function* () {
        yield* Cast
        const handle = algorithm.toLowerCase()
        const passkey = makePasskey({ algorithm })
        yield* signUpWith(handle, passkey)
        const { options, state } = yield* askForAssertion(handle)
        const credential = passkey.assert(options)
        const { authenticatorData, clientDataJSON, signature } = credential.response
        const flipped = (text: string, at: number) => {
          const data = Buffer.from(text, "base64url")
          const index = at < 0 ? data.length + at : at
          data[index] = (data[index] ?? 0) ^ 1
          return base64url(data)
        }
        const refused = (answer: Answer, about: string) =>
          assert.strictEqual(problemOf(answer), "passkey-wrong", `${about}: ${answer.text}`)
        // The flags and the count; the end of a signature, and its middle.
        const changes = [
          { authenticatorData: flipped(authenticatorData, 32) },
          { authenticatorData: flipped(authenticatorData, 36) },
          { authenticatorData: `${authenticatorData}AAAA` },
          { authenticatorData: authenticatorData.slice(0, 40) },
          { authenticatorData: "" },
          { clientDataJSON: base64url(`${Buffer.from(clientDataJSON, "base64url")} `) },
          { signature: flipped(signature, -1) },
          { signature: flipped(signature, 20) },
          { signature: signature.slice(0, 30) },
          { signature: "A" },
          { signature: "" },
          { signature: "A".repeat(4096) }
        ]
        for (const change of changes) {
          const answer = yield* sendAssertion(withResponse(credential, change), state)
          refused(answer, JSON.stringify(change))
        }
        for (const field of ["authenticatorData", "signature"] as const) {
          const { [field]: _, ...response } = credential.response
          refused(yield* sendAssertion({ ...credential, response }, state), `without ${field}`)
        }
        for (const odd of [
          { ...credential, type: "password" },
          { ...credential, rawId: "other" }
        ]) {
          refused(yield* sendAssertion(odd, state), JSON.stringify(odd))
        }
        ok(yield* sendAssertion(credential, state))
      })
  )
})
