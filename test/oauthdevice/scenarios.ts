import { Effect } from "effect"
import { CookieRequired, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import {
  approve,
  begin,
  createDeviceClient,
  decide,
  deviceRecords,
  poll,
  show,
  startWith
} from "../support/devices.ts"
import { permission, withKey } from "../support/keys.ts"
import { Cast, grant, guest } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { askFor } from "../support/tokens.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  yield* grant(odin, permission)
  const program = yield* withKey(odin)
  const { client_id } = yield* createDeviceClient(odin, odin)
  const [shown, known, denied, approved, waiting] = [
    yield* begin(client_id),
    yield* begin(client_id),
    yield* begin(client_id),
    yield* begin(client_id),
    yield* begin(client_id)
  ]
  yield* show(odin, known.user_code)
  yield* show(odin, denied.user_code)
  yield* approve(odin, approved.user_code)
  // The first tokens of a service make its key.
  const first = yield* begin(client_id)
  yield* approve(odin, first.user_code)
  yield* poll(client_id, first.device_code)
  return [
    {
      operation: "OAuthDeviceAuthorisation",
      call: startWith({ client_id, scope: "openid" }),
      expects: 200,
      statements: 3
    },
    {
      operation: "OAuthDeviceAuthorisation",
      when: "by an unknown client",
      call: startWith({ client_id: "nobody" }),
      expects: "invalid_client"
    },
    {
      operation: "OAuthDeviceConsent",
      call: show(odin, shown.user_code),
      expects: 200,
      statements: 4
    },
    {
      operation: "OAuthDeviceConsent",
      when: "again",
      call: show(odin, shown.user_code),
      expects: 200,
      statements: 3
    },
    {
      operation: "OAuthDeviceConsent",
      when: "of an unknown code",
      call: show(odin, "0000-0000"),
      expects: "invalid_request"
    },
    {
      operation: "OAuthDeviceConsent",
      when: "by a guest",
      call: show(guest, shown.user_code),
      expects: Unauthenticated
    },
    {
      operation: "OAuthDeviceConsent",
      when: "by a key",
      call: show(program, shown.user_code),
      expects: CookieRequired
    },
    {
      operation: "OAuthDeviceConsentSubmit",
      call: decide(odin, known.user_code),
      expects: 200,
      statements: 4
    },
    {
      operation: "OAuthDeviceConsentSubmit",
      when: "to deny",
      call: decide(odin, denied.user_code, "deny"),
      expects: 200,
      statements: 4
    },
    {
      operation: "OAuthDeviceConsentSubmit",
      when: "again",
      call: decide(odin, denied.user_code),
      expects: "invalid_request"
    },
    {
      operation: "OAuthToken",
      when: "for a device that waits",
      call: poll(client_id, waiting.device_code),
      expects: "authorization_pending"
    },
    {
      operation: "OAuthToken",
      when: "for a device",
      call: poll(client_id, approved.device_code),
      expects: 200,
      statements: 6
    },
    {
      operation: "OAuthToken",
      when: "for a device without its code",
      call: askFor({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id }),
      expects: "invalid_request"
    },
    {
      operation: "AdminOAuthDeviceAuthorisationList",
      call: odin.get(deviceRecords),
      expects: 200,
      statements: 2
    },
    {
      operation: "AdminOAuthDeviceAuthorisationList",
      when: "by a member",
      call: loki.get(deviceRecords),
      expects: Forbidden
    },
    {
      operation: "OAuthDeviceConsent",
      when: "by a member who may not use programs",
      call: show(freya, shown.user_code),
      expects: "access_denied"
    }
  ]
})
