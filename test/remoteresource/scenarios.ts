import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  RemoteAddressRefused,
  RemoteCallbackRefused,
  RemoteConnectionExists,
  RemoteConnectionNotFound,
  RemoteDiscoveryFailed,
  RemoteManualIncomplete,
  RemoteModeUnsupported,
  RemoteRegistrationFailed,
  RemoteStateNotYours,
  RemoteStateUnknown
} from "../../src/domain/remoteresource/RemoteRefusal.ts"
import { CookieRequired, Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { permission, withKey } from "../support/keys.ts"
import { Cast, nobody } from "../support/people.ts"
import { cimd, dcr, makeRemote } from "../support/remote.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { authorise, comeBack, connect, connected, connections, discover, pending, permit } from "./support.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin, tyr } = yield* Cast
  yield* permit(tyr, permission)
  const program = yield* withKey(tyr)
  const [archive, library, museum] = [makeRemote("archive"), makeRemote("library"), makeRemote("museum")]
  const refusing = makeRemote("refusing")
  const alone = makeRemote("alone")
  const { id } = yield* pending(tyr, archive)
  const { id: theirs } = yield* connected(odin, museum)
  yield* connected(tyr, museum)
  yield* library.appear({ tells: dcr(library) })
  yield* refusing.appear({ tells: dcr(refusing), registers: { status: 400, body: {} } })
  yield* alone.appear({ tells: cimd })
  const begun = archive.approve(yield* authorise(tyr, id))
  const once = archive.approve(yield* authorise(tyr, id))
  ok(yield* comeBack(tyr, once))
  const wrong = { ...archive.approve(yield* authorise(tyr, id)), code: "x" }
  const another = museum.approve(yield* authorise(odin, theirs))
  const manual = {
    client_id: "me",
    authorization_endpoint: "https://a.test/a",
    token_endpoint: "https://a.test/t"
  }
  const byHand = { mode: "manual", manual }
  // Nobody else has begun with these.
  yield* SqlClient.SqlClient.use(
    (sql) => sql`update remote_connections set status = 'pending', access_token = null,
    refresh_token = null, token_type = null, token_expiry = null where id = ${id}`
  )
  return [
    { operation: "OAuthRemoteDiscover", call: discover(tyr, archive.resource), expects: 200, statements: 1 },
    {
      operation: "OAuthRemoteDiscover",
      when: "by a key",
      call: discover(program, archive.resource),
      expects: 200
    },
    { operation: "OAuthRemoteDiscover", when: "by a member", call: discover(freya, "x"), expects: Forbidden },
    {
      operation: "OAuthRemoteDiscover",
      when: "of no address",
      call: discover(tyr, "x"),
      expects: RemoteAddressRefused
    },
    {
      operation: "OAuthRemoteDiscover",
      when: "of what does not answer",
      call: discover(tyr, "https://nowhere.test/"),
      expects: RemoteDiscoveryFailed
    },
    { operation: "OAuthRemoteConnectionList", call: tyr.get(connections), expects: 200, statements: 2 },
    { operation: "OAuthRemoteConnectionCreate", call: connect(tyr, library), expects: 200, statements: 7 },
    {
      operation: "OAuthRemoteConnectionCreate",
      when: "again",
      call: connect(tyr, library),
      expects: 200,
      statements: 8
    },
    {
      operation: "OAuthRemoteConnectionCreate",
      when: "by hand",
      call: connect(tyr, library, byHand),
      expects: 200
    },
    {
      operation: "OAuthRemoteConnectionCreate",
      when: "by hand with nothing",
      call: connect(tyr, library, { mode: "manual" }),
      expects: RemoteManualIncomplete
    },
    {
      operation: "OAuthRemoteConnectionCreate",
      when: "where there is a token",
      call: connect(tyr, museum),
      expects: RemoteConnectionExists
    },
    {
      operation: "OAuthRemoteConnectionCreate",
      when: "to no address",
      call: tyr.post(connections, { resource_url: "x" }),
      expects: RemoteAddressRefused
    },
    {
      operation: "OAuthRemoteConnectionCreate",
      when: "to what does not answer",
      call: tyr.post(connections, { resource_url: "https://nowhere.test/" }),
      expects: RemoteDiscoveryFailed
    },
    {
      operation: "OAuthRemoteConnectionCreate",
      when: "where nobody registers",
      call: connect(tyr, alone, { mode: "dcr" }),
      expects: RemoteModeUnsupported
    },
    {
      operation: "OAuthRemoteConnectionCreate",
      when: "where it is not registered",
      call: connect(tyr, refusing),
      expects: RemoteRegistrationFailed
    },
    { operation: "OAuthRemoteConnectionAuthorize", call: authorise(tyr, id), expects: 200, statements: 3 },
    {
      operation: "OAuthRemoteConnectionAuthorize",
      when: "unknown",
      call: authorise(tyr, nobody),
      expects: RemoteConnectionNotFound
    },
    {
      operation: "OAuthRemoteCallback",
      when: "by a key",
      call: comeBack(program, begun),
      expects: CookieRequired
    },
    {
      operation: "OAuthRemoteCallback",
      when: "with an unknown state",
      call: comeBack(tyr, { state: "x", code: "x" }),
      expects: RemoteStateUnknown
    },
    {
      operation: "OAuthRemoteCallback",
      when: "of another account",
      call: comeBack(tyr, another),
      expects: RemoteStateNotYours
    },
    {
      operation: "OAuthRemoteCallback",
      when: "with a wrong code",
      call: comeBack(tyr, wrong),
      expects: RemoteCallbackRefused
    },
    { operation: "OAuthRemoteCallback", call: comeBack(tyr, begun), expects: 200, statements: 6 },
    {
      operation: "OAuthRemoteCallback",
      when: "again",
      call: comeBack(tyr, begun),
      expects: RemoteCallbackRefused
    },
    {
      operation: "OAuthRemoteConnectionDelete",
      call: tyr.delete(`${connections}/${id}`),
      expects: 204,
      statements: 4
    },
    {
      operation: "OAuthRemoteConnectionDelete",
      when: "again",
      call: tyr.delete(`${connections}/${id}`),
      expects: RemoteConnectionNotFound
    }
  ]
})
