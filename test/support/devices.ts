/** Devices that use OAuth in the tests. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, ok } from "./answers.ts"
import { createClient } from "./clients.ts"
import { type Person, query } from "./people.ts"
import { askFor, type Fields, postForm } from "./tokens.ts"

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

export const consentPath = "/oauth/device/consent"
export const deviceRecords = "/admin/oauth/device-authorizations"

/** A public client for devices, by an administrator. */
export const createDeviceClient = (
  administrator: Person,
  owner: Person,
  more: Readonly<Record<string, unknown>> = {}
) =>
  createClient(administrator, owner, {
    allowed_scopes: ["openid", "offline_access", "CREATE_POST", "MANAGE_POSTS"],
    allowed_grants: [deviceGrant, "refresh_token"],
    ...more
  })

export const startWith = (fields: Fields, headers?: Fields) =>
  postForm("/oauth/device_authorization", fields, headers)

/** A device that waits. */
export const begin = (client_id: string, scope = "openid offline_access CREATE_POST") =>
  Effect.map(startWith({ client_id, scope }), ok)

/** What the command line begins with. */
export const beginCommandLine = begin("forum-cli", "openid profile offline_access")

export const show = (person: Person, user_code: string) => person.get(`${consentPath}${query({ user_code })}`)

export const decide = (person: Person, user_code: string, decision = "approve") =>
  person.post(consentPath, { user_code, decision })

export const approve = Effect.fnUntraced(function* (person: Person, user_code: string) {
  ok(yield* show(person, user_code))
  ok(yield* decide(person, user_code))
})

/** Asks for the tokens of a device. */
export const poll = (client_id: string, device_code: string) =>
  askFor({ grant_type: deviceGrant, client_id, device_code })

/** The one answer for codes about which somebody cannot decide. */
export const unknown = {
  error: "invalid_request",
  error_description: "The code is unknown, expired or already used"
}

export const assertUnknown = ({ json, status, text }: Answer) => {
  assert.strictEqual(status, 400, text)
  assert.deepStrictEqual(json, unknown)
}
