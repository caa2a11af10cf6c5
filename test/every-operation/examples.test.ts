/** Holds the examples of the description to what the service does: requests are accepted, and answers are like these. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { issuedKey } from "../../src/domain/accesskey/AccessKeyExamples.ts"
import { creation, request } from "../../src/domain/authentication/PasskeyExamples.ts"
import { resetToken } from "../../src/domain/authentication/ResetExamples.ts"
import { cursor } from "../../src/domain/change/ChangeExamples.ts"
import { calendarAddress } from "../../src/domain/feed/CalendarAddressExamples.ts"
import { version } from "../../src/domain/library/NodeExamples.ts"
import { sentMail } from "../../src/domain/mail/MailExamples.ts"
import { note, warning } from "../../src/domain/moderation/ModerationExamples.ts"
import { issuedInitialToken } from "../../src/domain/oauthclient/InitialAccessTokenExamples.ts"
import { createdClient, ownClient } from "../../src/domain/oauthclient/OAuthClientExamples.ts"
import { newRegistration } from "../../src/domain/oauthclient/RegistrationExamples.ts"
import { consent, consentResult } from "../../src/domain/oauthcode/AuthorisationExamples.ts"
import * as devices from "../../src/domain/oauthdevice/DeviceExamples.ts"
import { refreshToken } from "../../src/domain/oauthgrant/GrantExamples.ts"
import { introspected, tokenResponse, userInfo } from "../../src/domain/oauthtoken/TokenExamples.ts"
import { ownDataExport } from "../../src/domain/owndata/OwnDataExamples.ts"
import * as plugins from "../../src/domain/plugin/PluginExamples.ts"
import * as remote from "../../src/domain/remoteresource/RemoteExamples.ts"
import { memberRole } from "../../src/domain/role/RoleExamples.ts"
import { keySet } from "../../src/domain/signing/SigningExamples.ts"
import * as webhooks from "../../src/domain/webhook/WebhookExamples.ts"
import { WebhookSending } from "../../src/domain/webhook/WebhookSending.ts"
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt
} from "../../src/http/document/Json.ts"
import { leave, offerAll, openid } from "../elsewhere/support.ts"
import { page } from "../library/elsewhere.ts"
import { enqueue } from "../mail/support.ts"
import { collect as collectOwnData } from "../owndata/support.ts"
import { stateOf } from "../passkey/support.ts"
import * as Phones from "../phone/support.ts"
import { honest } from "../plugin/archives/zip.ts"
import { type Answer, ok } from "../support/answers.ts"
import { makePasskey } from "../support/authenticator.ts"
import { asked } from "../support/authorisations.ts"
import { initialToken } from "../support/clients.ts"
import { document } from "../support/conformance.ts"
import { poll } from "../support/devices.ts"
import { png } from "../support/files.ts"
import { Mailbox } from "../support/mailbox.ts"
import { codeTo, tokenTo } from "../support/mails.ts"
import * as Pages from "../support/pages.ts"
import { call, drainEvents, type Person, personIn, signUp } from "../support/people.ts"
import { connect, postExternal } from "../support/plugins.ts"
import { makeRemote } from "../support/remote.ts"
import { unavailable } from "../support/scenarios.ts"
import * as TestApp from "../support/TestApp.ts"
import { formType, granted, withToken } from "../support/tokens.ts"

interface Operation {
  readonly id: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly body: Json | undefined
  readonly isForm: boolean
  /** By media type. */
  readonly answers: ReadonlyMap<string, Json>
}

const schemas = objectAt(objectAt(document, "components"), "schemas")

const exampleOf = (media: Json): Json | undefined => {
  const schema = objectAt(media, "schema")
  const component = textAt(schema, "$ref")?.split("/").at(-1) ?? ""
  return listAt(schemas[component] ?? schema, "examples")[0]
}

const examplesIn = (part: Json | undefined): ReadonlyMap<string, Json> =>
  new Map(
    Object.entries(objectAt(part, "content")).flatMap(([type, media]) => {
      const example = exampleOf(media)
      return example === undefined ? [] : [[type, example] as const]
    })
  )

const operations = new Map(
  Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).map(([method, operation]): [string, Operation] => {
      const id = textAt(operation, "operationId") ?? ""
      const bodies = examplesIn(isObject(operation) ? operation.requestBody : undefined)
      const form = bodies.get(formType["content-type"])
      const body = form ?? bodies.get("application/json")
      const answers = examplesIn(objectAt(operation, "responses")["200"])
      return [
        id,
        {
          id,
          method: method.toUpperCase() as Operation["method"],
          path,
          body,
          isForm: form !== undefined,
          answers
        }
      ]
    })
  )
)

const idPattern = /(?<![0-9a-v])(?!0{18}[12]0|0{19}g)[0-9a-v]{20}(?![0-9a-v])/g
const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

const addressKeys = new Set(["ip_address", "raw_client_address"])

/**
 * The same with what differs from run to run made equal: ids are numbered in
 * the order in which they occur, also within slugs; instants and addresses of
 * the caller are replaced. Ids of built-in roles stay.
 */
const normalised = (value: Json): Json => {
  const ids = new Map<string, string>()
  const numbered = (id: string) => {
    const known = ids.get(id) ?? `#${ids.size}`
    ids.set(id, known)
    return known
  }
  const walk = (value: Json): Json => {
    if (typeof value === "string") {
      return instantPattern.test(value) ? "an instant" : value.replace(idPattern, numbered)
    }
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => [key, addressKeys.has(key) ? "an address" : walk(item)])
    )
  }
  return walk(value)
}

/** What two values have in common: lists are as long as the shorter, numbers count as equal, absent fields as present. */
const overlap = (value: Json, other: Json): Json => {
  if (typeof value === "number" && typeof other === "number") return "a number"
  if (Array.isArray(value) && Array.isArray(other)) {
    return value.slice(0, other.length).map((item, index) => overlap(item, other[index] ?? null))
  }
  if (!isObject(value) || !isObject(other)) return value
  return Object.fromEntries(
    Object.keys(value)
      .filter((key) => key in other)
      .map((key) => [key, overlap(value[key] ?? null, other[key] ?? null)])
  )
}

const seen = new Set<string>()

interface Visit {
  /** Who calls; a guest otherwise. */
  readonly as?: Person
  /** The parameters in the path. */
  readonly at?: Readonly<Record<string, string>>
  /** The parameters in the query. */
  readonly query?: Readonly<Record<string, string>>
  /** What of the example has to be different, such as ids. */
  readonly body?: (example: Json) => Json
  /** What is sent instead of JSON. */
  readonly file?: Uint8Array
  /** What that is. */
  readonly type?: string
  /** What a passkey is sent with. */
  readonly state?: string
  /** What who comes back from elsewhere kept. */
  readonly kept?: string
  /** The bearer token of who calls, if that is no person. */
  readonly bearer?: string
  /** What of the answer the example shows, if not all. */
  readonly view?: (answer: Answer["json"]) => Json
}

/** Reads show the state that the examples tell of; writes answer with the state at their time. */
const assertLike = (method: string, actual: Json, example: Json, id: string) =>
  method === "GET"
    ? assert.deepStrictEqual(normalised(actual), normalised(example), id)
    : assert.deepStrictEqual(normalised(overlap(actual, example)), normalised(overlap(example, actual)), id)

/** Calls an operation with its example, and compares the answer with its example. */
const visit = Effect.fnUntraced(function* (
  id: string,
  {
    as,
    at = {},
    bearer,
    body = (example) => example,
    file,
    kept,
    query,
    state,
    type: sent,
    view = (answer) => answer
  }: Visit = {}
) {
  const {
    answers,
    body: example,
    isForm,
    method,
    path
  } = operations.get(id) ?? assert.fail(`There is no ${id}`)
  const search = query === undefined ? "" : `?${new URLSearchParams(query)}`
  const address = `/api${path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(at[name] ?? name))}${search}`
  const cookies = [
    ...(as?.cookie === undefined ? [] : [`forum-session=${as.cookie}`]),
    ...(state === undefined ? [] : [`forum-webauthn=${state}`]),
    ...(kept === undefined ? [] : [`__Host-forum-elsewhere=${kept}`])
  ]
  const answer: Answer = yield* call(method, address, {
    ...(file === undefined ? {} : { body: file }),
    ...(example === undefined ? {} : { body: isForm ? formOf(body(example)) : body(example) }),
    headers: {
      ...as?.headers,
      ...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(isForm ? formType : {}),
      ...(sent === undefined ? {} : { "content-type": sent })
    }
  })
  assert.isBelow(answer.status, 400, `${id}: ${answer.text}`)
  seen.add(id)
  const type = (answer.headers["content-type"] ?? "").replace("; charset=utf-8", "")
  const expected = answers.get(type)
  if (typeof expected === "string") assert.isTrue(answer.text.toLowerCase().startsWith(expected), id)
  else if (expected !== undefined) assertLike(method, view(answer.json), expected, id)
  return answer
})

/** The fields of a form that are texts. */
const formOf = (fields: Json): string => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(isObject(fields) ? fields : {})) {
    if (typeof value === "string") form.append(name, value)
  }
  return form.toString()
}

const replaced =
  (from: JsonObject) =>
  (example: Json): Json => ({ ...(isObject(example) ? example : {}), ...from })

/** The same for the notification of this id. */
const withId =
  (id: string) =>
  (example: Json): Json => ({
    notifications: listAt(example, "notifications").map((change) => replaced({ id })(change))
  })

const themeFiles = { css: "body { accent-color: #123a52; }", js: 'console.info("harbour")' }

const line = (text: string) => new TextEncoder().encode(`${text}\n`)
/** What the example shows of random values, which differ. */
const withRandomOf =
  (example: { readonly publicKey: object }) =>
  ({ publicKey }: Answer["json"]) => ({ publicKey: { ...publicKey, ...example.publicKey } })

/** Calls the operations on clients of OAuth. Ids and secrets are generated; changes begin with what the example has. */
const visitClients = Effect.fnUntraced(function* (admin: Person) {
  const secret = createdClient.client_secret
  const ofAdmin = replaced({ account_id: admin.id, type: "confidential" })
  const { json: given } = yield* visit("AdminOAuthClientCreate", {
    as: admin,
    body: ofAdmin,
    view: (client) => ({ ...client, client_secret: secret })
  })
  const named = ({ name: _, redirect_uris: __, ...rest }: Answer["json"]) => rest
  yield* visit("AdminOAuthClientList", {
    as: admin,
    view: ({ clients }) => ({ clients: clients.slice(0, 1) })
  })
  const ofGiven = { oauth_client_id: given.id }
  yield* visit("AdminOAuthClientGet", { as: admin, at: ofGiven })
  yield* visit("OAuthClientList", { as: admin })
  yield* visit("OAuthClientGet", { as: admin, at: ofGiven })
  const ofClient = { client_id: given.client_id, client_secret: given.client_secret }
  const { refresh: another } = yield* granted(given.client_id, admin, refreshToken.scope)
  yield* visit("OAuthRefreshTokenList", {
    as: admin,
    view: ({ tokens, ...page }) => ({ ...page, results: 1, tokens: tokens.slice(0, 1) })
  })
  yield* visit("AdminOAuthRefreshTokenList", {
    as: admin,
    view: ({ tokens, ...page }) => ({ ...page, results: 1, tokens: tokens.slice(0, 1) })
  })
  yield* visit("OAuthIntrospect", {
    body: replaced({ ...ofClient, token: another }),
    view: ({ username: _, ...shown }) => ({ ...shown, iss: introspected.iss })
  })
  yield* visit("OAuthRevoke", { body: replaced({ ...ofClient, token: another }) })
  const { request_id } = consent
  const question = yield* asked(admin, given.client_id, { scope: consent.requested_scopes.join(" ") })
  yield* visit("OAuthAuthoriseConsent", {
    as: admin,
    query: { request_id: question },
    view: (shown) => ({ ...shown, request_id })
  })
  yield* visit("OAuthAuthoriseConsentSubmit", {
    as: admin,
    body: replaced({ request_id: question }),
    view: (result) => ({ ...result, location: consentResult.location })
  })
  yield* visit("AdminOAuthClientUpdate", { as: admin, at: ofGiven, view: named })
  const { refresh } = yield* granted(given.client_id, admin, refreshToken.scope)
  yield* visit("OAuthToken", {
    body: replaced({
      client_id: given.client_id,
      client_secret: given.client_secret,
      refresh_token: refresh
    }),
    view: (tokens) => ({
      ...tokens,
      access_token: tokenResponse.access_token,
      refresh_token: tokenResponse.refresh_token
    })
  })
  const program = yield* withToken(admin, "openid profile email")
  // The example is another account, which has an address.
  const { name, preferred_username, email, email_verified } = userInfo
  const view = ({ sub }: Answer["json"]) => ({ sub, name, preferred_username, email, email_verified })
  yield* visit("OAuthUserInfo", { as: program, view })
  yield* visit("OAuthUserInfoByPost", { as: program, view })
  const { json: issued } = yield* visit("OAuthClientCreate", {
    as: admin,
    view: ({ client }) => ({
      client: { ...client, client_id: ownClient.client_id },
      client_secret: secret
    })
  })
  const scoped = ({ allowed_scopes: _, client_id: __, ...rest }: Answer["json"]) => named(rest)
  yield* visit("OAuthClientUpdate", { as: admin, at: { oauth_client_id: issued.client.id }, view: scoped })
})

/** Calls the operations on tokens with which programs register clients. */
const visitInitialTokens = Effect.fnUntraced(function* (admin: Person) {
  const { token } = issuedInitialToken
  yield* visit("AdminOAuthInitialAccessTokenCreate", { as: admin, view: (one) => ({ ...one, token }) })
  yield* visit("AdminOAuthInitialAccessTokenList", { as: admin })
})

/** Calls the operations on registrations with the tokens that they need. */
const visitRegistrations = Effect.fnUntraced(function* (admin: Person) {
  const {
    client_id,
    client_id_issued_at,
    client_secret,
    registration_access_token,
    registration_client_uri
  } = newRegistration
  const issued = { client_id, registration_access_token, registration_client_uri }
  const like = (one: Answer["json"]) => ({ ...one, ...issued })
  const { json } = yield* visit("OAuthClientRegister", {
    bearer: yield* initialToken(admin),
    view: (one) => ({ ...like(one), client_secret })
  })
  const at = { client_id: json.client_id }
  const bearer = json.registration_access_token
  yield* visit("OAuthClientRegistrationGet", {
    at,
    bearer,
    view: (one) => ({ ...like(one), client_secret, client_id_issued_at })
  })
  yield* visit("OAuthClientRegistrationUpdate", { at, bearer, body: replaced(at), view: like })
})

/** Lets a device begin, decides about it, and lists it. Its codes are random; administrators may do everything. */
const visitDevices = Effect.fnUntraced(function* (admin: Person) {
  const { user_code } = devices.started
  const { device_code, verification_uri, verification_uri_complete } = devices.started
  const { json: begun } = yield* visit("OAuthDeviceAuthorisation", {
    view: (started) => ({
      ...started,
      device_code,
      user_code,
      verification_uri,
      verification_uri_complete
    })
  })
  const { granted_scopes } = devices.consent
  yield* visit("OAuthDeviceConsent", {
    as: admin,
    query: { user_code: begun.user_code },
    view: (shown) => ({ ...shown, user_code, granted_scopes })
  })
  yield* visit("OAuthDeviceConsentSubmit", { as: admin, body: replaced({ user_code: begun.user_code }) })
  ok(yield* poll(devices.start.client_id, begun.device_code))
  const { scope } = devices.record
  yield* visit("AdminOAuthDeviceAuthorisationList", {
    as: admin,
    view: ({ device_authorisations: [record] }) => ({
      device_authorisations: [{ ...record, user_code, scope }]
    })
  })
})

const visitPasskeys = Effect.fnUntraced(function* (odin: Person) {
  const passkey = makePasskey()
  const place = { origin: "https://forum.example", rpId: "forum.example" }
  const { challenge, user } = creation.publicKey
  const asked = yield* visit("WebAuthnRequestCredential", {
    as: odin,
    at: { account_handle: "odin" },
    view: withRandomOf({ publicKey: { challenge, user } })
  })
  yield* visit("WebAuthnMakeCredential", {
    as: odin,
    state: stateOf(asked),
    body: () => passkey.create(asked.json, place)
  })
  const { allowCredentials } = request.publicKey
  const question = yield* visit("WebAuthnGetAssertion", {
    at: { account_handle: "odin" },
    view: withRandomOf({ publicKey: { challenge, allowCredentials } })
  })
  yield* visit("WebAuthnMakeAssertion", {
    state: stateOf(question),
    body: () => passkey.assert(question.json, place)
  })
  const oldest = ({ active, available }: Answer["json"]) => ({ active: active.slice(0, 1), available })
  yield* visit("AccountAuthProviderList", { as: odin, view: oldest })
  const { active } = ok(yield* odin.get("/accounts/self/auth-methods"))
  yield* visit("AccountAuthMethodDelete", { as: odin, at: { auth_method_id: active[1].id } })
})

const visitElsewhere = Effect.fnUntraced(function* (odin: Person) {
  yield* offerAll
  const { kept, location } = yield* leave("oauth_oidc", odin)
  const brought = openid.authorise(location, { sub: "odin" })
  yield* visit("OAuthProviderCallback", {
    as: odin,
    at: { oauth_provider: "oauth_oidc" },
    kept,
    body: replaced(brought)
  })
})

/** Calls the operations on remote resources. What is random of an address to approve at is as in the example. */
const visitRemote = Effect.fnUntraced(function* (admin: Person) {
  const archive = makeRemote("archive", "example")
  yield* archive.appear({
    resourceTells: { bearer_methods_supported: ["header"] },
    tells: remote.discovery.authorization_server_metadata
  })
  yield* visit("OAuthRemoteDiscover", { as: admin })
  const { json: connection } = yield* visit("OAuthRemoteConnectionCreate", { as: admin })
  yield* visit("OAuthRemoteConnectionList", { as: admin })
  const begun = yield* visit("OAuthRemoteConnectionAuthorize", {
    as: admin,
    at: { oauth_remote_connection_id: connection.id },
    view: ({ authorization_url, connection }) => {
      const { searchParams } = new URL(remote.authorisation.authorization_url)
      const url = new URL(authorization_url)
      for (const name of ["state", "code_challenge"]) url.searchParams.set(name, searchParams.get(name) ?? "")
      return { connection, authorization_url: url.href }
    }
  })
  yield* visit("OAuthRemoteCallback", { as: admin, query: archive.approve(begun) })
})

/** Calls the operations on plugins, one of which comes in an archive. Tokens are generated. */
const visitPlugins = Effect.fnUntraced(function* (admin: Person) {
  const { connection, status } = plugins.externalPlugin
  const shown = (plugin: Answer["json"]) => ({ ...plugin, connection })
  const added = (plugin: Answer["json"]) => ({ ...plugin, status, connection })
  const { json: plugin } = yield* postExternal(admin, plugins.manifest)
  const at = { plugin_instance_id: plugin.id }
  yield* visit("PluginList", { as: admin, view: (list) => ({ plugins: list.plugins.map(shown) }) })
  yield* visit("PluginGet", { as: admin, at, view: shown })
  yield* visit("PluginUpdateManifest", { as: admin, at, view: shown })
  const { json: cycled } = yield* visit("PluginCycleToken", {
    as: admin,
    at,
    view: () => plugins.issuedToken
  })
  yield* visit("PluginGetConfigurationSchema", { as: admin, at })
  const program = yield* connect(cycled.token, { configure: () => ({ ok: true }) })
  yield* program.call("get_config")
  yield* visit("PluginUpdateConfiguration", { as: admin, at })
  yield* visit("PluginGetConfiguration", { as: admin, at })
  yield* visit("PluginDelete", { as: admin, at })
  Pages.put(plugins.elsewhere.url, Pages.page("", { body: honest(plugins.manifest) }))
  const { json: inside } = yield* visit("PluginAdd", { as: admin, view: added })
  const within = { plugin_instance_id: inside.id }
  const archive = { file: honest(plugins.manifest), type: "application/zip" }
  yield* visit("PluginUpdatePackage", { as: admin, at: within, ...archive, view: added })
  yield* visit("PluginDownloadPackage", { as: admin, at: within })
  yield* visit("PluginSetActiveState", { as: admin, at: within, view: added })
})

/** Calls the operations on webhooks, to which something is delivered. Secrets are generated. */
const visitWebhooks = Effect.fnUntraced(function* (admin: Person, odin: Person) {
  const { created_by } = webhooks.webhook
  const shown = (webhook: Answer["json"]) => ({ ...webhook, created_by })
  const answered = new TextEncoder().encode(webhooks.attempt.answer)
  Pages.put(webhooks.webhook.url, Pages.page("", { body: answered }))
  const { json: webhook } = yield* visit("WebhookCreate", {
    as: admin,
    view: (issued) => ({ ...shown(issued), ...webhooks.issuedSecret })
  })
  const at = { webhook_id: webhook.id }
  yield* visit("WebhookGet", { as: admin, at, view: shown })
  yield* visit("WebhookList", {
    as: admin,
    view: (list) => ({ ...list, webhooks: list.webhooks.map(shown) })
  })
  yield* visit("WebhookUpdate", { as: admin, at, view: shown })
  yield* visit("WebhookReplaceSecret", { as: admin, at, view: () => webhooks.issuedSecret })
  ok(yield* odin.post("/threads", { title: "Tide", visibility: "published" }))
  yield* drainEvents
  yield* WebhookSending.use(({ drain }) => drain)
  const { json: list } = yield* visit("WebhookDeliveryList", { as: admin, at })
  const { milliseconds } = webhooks.attempt
  const withAttempts = (delivery: Answer["json"]) => ({
    ...delivery,
    attempts: delivery.attempts.map((attempt: object) => ({ ...attempt, milliseconds }))
  })
  const ofDelivery = { ...at, delivery_id: list.deliveries[0].id }
  yield* visit("WebhookDeliveryGet", { as: admin, at: ofDelivery, view: withAttempts })
  const delivered = { status: webhooks.delivery.status }
  yield* visit("WebhookDeliveryRetry", {
    as: admin,
    at: ofDelivery,
    view: (delivery) => ({ ...delivery, ...delivered })
  })
  yield* visit("WebhookTest", { as: admin, at })
  yield* visit("WebhookReplay", { as: admin, at, view: (webhook) => ({ ...webhook, created_by }) })
  yield* visit("WebhookDelete", { as: admin, at })
})

const deployment = {
  publicUrl: new URL("https://forum.example"),
  webUrl: new URL("https://forum.example"),
  version: "0.1.0"
}

layer(TestApp.layerWhere(deployment))("the examples of the description", (it) => {
  it.effect("are requests that the service accepts and answers that it gives", () =>
    Effect.gen(function* () {
      const admin = yield* signUp("keeper")
      const entered = yield* visit("AuthPasswordSignup")
      const odin = personIn(entered)
      const freya = yield* signUp("freya")
      yield* visit("AuthPasswordSignin")
      yield* visit("AccountUpdate", { as: odin })

      const { json: category } = yield* visit("CategoryCreate", { as: admin })
      const { json: thread } = yield* visit("ThreadCreate", {
        as: odin,
        body: replaced({ category: category.id })
      })
      const inThread = { thread_mark: thread.slug }
      const { json: answered } = yield* visit("ReplyCreate", { as: freya, at: inThread })
      yield* visit("PostLocationGet", { query: { id: answered.id } })
      yield* drainEvents

      yield* visit("ThreadGet", { as: odin, at: inThread })
      yield* visit("ThreadList", { as: odin })
      yield* visit("DatagraphSearch", { query: { kind: "reply" } })
      yield* visit("DatagraphMatches", { query: { q: "editor" } })
      yield* visit("CategoryGet", { at: { category_slug: category.slug } })
      yield* visit("CategoryList")
      yield* visit("CategoryUpdate", { as: admin, at: { category_slug: category.slug } })
      yield* visit("CategoryUpdatePosition", { as: admin, at: { category_slug: category.slug } })
      yield* visit("AccountGet", { as: odin })
      yield* visit("AccountView", { as: admin, at: { account_id: odin.id } })
      yield* visit("AccountList", { as: admin, query: { q: odin.id } })
      yield* visit("GetSession", { as: odin })
      yield* visit("ProfileFollowersAdd", { as: odin, at: { account_handle: "freya" } })
      yield* visit("ProfileGet", { at: { account_handle: "odin" } })
      yield* visit("ProfileList", {
        view: ({ profiles, ...numbers }) => ({
          ...numbers,
          results: 1,
          profiles: profiles.filter(({ handle }: { readonly handle: string }) => handle === "odin")
        })
      })
      yield* visit("ProfileFollowersGet", { at: { account_handle: "freya" } })
      yield* visit("ProfileFollowingGet", { at: { account_handle: "odin" } })
      const { notifications } = (yield* odin.get("/notifications")).json
      const notification = { notification_id: notifications[0].id }
      yield* visit("NotificationUpdate", { as: odin, at: notification })
      yield* visit("NotificationList", { as: odin })
      yield* visit("NotificationUpdateMany", { as: odin, body: withId(notification.notification_id) })
      const { json: collection } = yield* visit("CollectionCreate", { as: odin })
      const inCollection = { collection_mark: collection.slug, post_id: thread.id }
      yield* visit("CollectionAddPost", { as: odin, at: inCollection })
      yield* visit("CollectionGet", { as: odin, at: inCollection })
      yield* visit("CollectionList", { as: odin })
      yield* visit("CollectionUpdate", { as: odin, at: inCollection })
      yield* visit("CollectionRemovePost", { as: odin, at: inCollection })
      const node = yield* page(odin, "Collected", { visibility: "draft" })
      const withNode = { collection_mark: collection.slug, node_id: node.id }
      // The example shows a post.
      const view = ({ items, ...rest }: Answer["json"]) => ({ ...rest, items: items.slice(1) })
      yield* visit("CollectionAddNode", { as: odin, at: withNode, view })
      yield* visit("CollectionRemoveNode", { as: odin, at: withNode })
      ok(yield* odin.delete(`/nodes/${node.id}`))
      yield* visit("TagList")
      yield* visit("TagGet", { as: odin, at: { tag_name: "editors" } })
      const report = { as: freya, body: replaced({ target_id: thread.id }) }
      const { json: reported } = yield* visit("ReportCreate", report)
      yield* visit("ReportList", { as: freya })
      // The example is as it was submitted.
      const unresolved = replaced({ status: "submitted" })
      yield* visit("ReportUpdate", { as: admin, at: { report_id: reported.id }, body: unresolved })
      yield* visit("LikePostAdd", { as: freya, at: { post_id: thread.id } })
      yield* visit("LikePostGet", { at: { post_id: thread.id } })
      yield* visit("ChangeList", {
        // The example is of one change, in another place.
        view: ({ changes }) => ({
          changes: changes
            .filter(({ event }: Answer["json"]) => event.event === "EventThreadPublished")
            .slice(0, 1)
            .map((change: Answer["json"]) => ({ ...change, cursor })),
          next: cursor,
          more: false
        })
      })
      yield* visit("LikeProfileGet", { at: { account_handle: "freya" } })
      yield* visit("PostReactAdd", { as: freya, at: { post_id: thread.id } })
      yield* visit("PostUpdate", { as: odin, at: { post_id: thread.id } })
      yield* visit("ThreadUpdate", { as: odin, at: inThread })
      const { json: link } = yield* visit("LinkCreate", { as: odin })
      yield* visit("LinkList")
      yield* visit("LinkGet", { as: odin, at: { link_slug: link.slug } })

      const sql = yield* SqlClient.SqlClient
      yield* sql`update roles set permissions = permissions || array['MANAGE_EVENTS'] where name = 'Member'`
      const { json: event } = yield* visit("EventCreate", {
        as: odin,
        body: replaced({ thread_category_id: category.id })
      })
      yield* sql`update roles set permissions = array_remove(permissions, 'MANAGE_EVENTS') where name = 'Member'`
      const ofEvent = { event_mark: event.slug }
      yield* visit("EventParticipantUpdate", { as: freya, at: { ...ofEvent, account_id: freya.id } })
      yield* visit("EventUpdate", { as: odin, at: ofEvent })
      yield* visit("EventGet", { as: odin, at: ofEvent })
      yield* visit("EventList")
      yield* visit("AccountCalendarAddress", {
        as: odin,
        view: ({ createdAt }) => ({ address: calendarAddress.address, createdAt })
      })
      const other = { name: "Other", description: "", colour: "" }
      const { json: target } = yield* admin.post("/categories", other)
      yield* visit("CategoryDelete", {
        as: admin,
        at: { category_slug: category.slug },
        body: replaced({ move_to: target.id })
      })

      for (const id of ["GetInfo", "GetVersion", "AuthProviderList", "RoleList", "GetDocs"]) {
        yield* visit(id)
      }
      yield* visit("GetSpec", {
        view: ({ info: { title, version }, openapi }) => ({ openapi, info: { title, version } })
      })
      const { json: role } = yield* visit("RoleCreate", { as: admin })
      yield* visit("RoleGet", { at: { role_id: role.id } })
      yield* visit("RoleUpdate", { as: admin, at: { role_id: role.id } })
      yield* visit("RoleUpdateOrder", {
        as: admin,
        body: () => ({ role_ids: [role.id] }),
        view: ({ roles }) => ({ roles: roles.filter((one: { readonly id: string }) => one.id !== role.id) })
      })
      const ofAccount = { account_handle: "odin", role_id: role.id }
      for (const id of [
        "AccountAddRole",
        "AccountRoleSetBadge",
        "AccountRoleRemoveBadge",
        "AccountRemoveRole"
      ]) {
        yield* visit(id, {
          as: admin,
          at: ofAccount,
          // The example is an account without such a role.
          view: ({ roles, ...account }) => ({ ...account, roles: roles.slice(-1) })
        })
      }
      yield* admin.delete(`/roles/${role.id}`)
      yield* admin.patch("/roles/00000000000000000010", {
        permissions: [...memberRole.permissions, "USE_PERSONAL_ACCESS_KEYS"]
      })
      const { json: key } = yield* visit("AccessKeyCreate", {
        as: odin,
        view: ({ secret: _, ...rest }) => ({ ...rest, secret: issuedKey.secret })
      })
      yield* visit("AccessKeyList", { as: odin })
      yield* visit("AdminAccessKeyList", { as: admin })
      yield* visitClients(admin)
      yield* visitRemote(admin)
      yield* visitPlugins(admin)
      yield* visitWebhooks(admin, odin)
      yield* visitInitialTokens(admin)
      yield* visitRegistrations(admin)
      yield* visitDevices(admin)
      yield* odin.delete(`/auth/access-keys/${key.id}`)
      yield* admin.delete("/roles/00000000000000000010")
      yield* visit("ProblemList", {
        view: ({ problems }) => ({
          problems: problems.filter(({ name }: { readonly name: string }) => name === "forbidden")
        })
      })
      yield* visit("ProblemGet", { at: { name: "forbidden" } })
      yield* visit("SendBeacon", { as: odin })
      yield* visit("AssetUpload", { as: odin, query: { filename: "harbour.png" }, file: png(1280, 720) })
      const { json: shelf } = yield* admin.post("/nodes", { name: "Shelf", visibility: "published" })
      yield* odin.post("/nodes", {
        name: "Handbook",
        content: "<h1>Handbook</h1><p>How we work.</p>",
        tags: ["team"],
        parent: shelf.id
      })
      yield* odin.patch("/nodes/handbook/visibility", { visibility: "published" })
      yield* visit("NodeListChildren", {
        at: { node_slug: shelf.slug },
        view: (list) => ({ ...list, page_size: 50 })
      })
      for (const [id, slug] of [
        ["NodeUpdateProperties", "handbook"],
        ["NodeUpdatePropertySchema", "handbook"],
        ["NodeUpdateChildrenPropertySchema", shelf.slug]
      ]) {
        yield* visit(id, { as: admin, at: { node_slug: slug } })
      }
      for (const slug of ["handbook", shelf.slug]) yield* admin.delete(`/nodes/${slug}`)
      for (const id of ["AccountErasureRequest", "AccountErasureGet", "AccountErasureCancel"]) {
        yield* visit(id, { as: odin })
      }
      // The example is of an archive that is there.
      const waiting = yield* visit("AccountExportRequest", {
        as: odin,
        view: ({ requested_at }) => ({ requested_at })
      })
      assert.strictEqual(waiting.json.state, "waiting")
      yield* collectOwnData
      // How large an archive is follows from the times in it.
      yield* visit("AccountExportGet", {
        as: odin,
        view: (shown) => ({ ...shown, size: ownDataExport.size })
      })
      yield* visit("AccountExportDownload", { as: odin })
      for (const id of ["AdminAccountErasureOrder", "AdminAccountErasureGet", "AdminAccountErasureCancel"]) {
        yield* visit(id, { as: admin, at: { account_id: odin.id } })
      }
      yield* visit("AuthPasswordUpdate", { as: odin })
      // As if she had signed up by other means.
      yield* SqlClient.SqlClient.use((sql) => sql`delete from passwords where account_id = ${freya.id}`)
      yield* visit("AuthPasswordCreate", { as: freya })
      yield* visitPasskeys(odin)
      yield* visitElsewhere(odin)

      const byEmail = personIn(yield* visit("AuthEmailPasswordSignup"))
      yield* visit("AuthEmailPasswordSignin")
      yield* visit("AuthPasswordResetRequestEmail")
      yield* visit("AuthPasswordReset", { body: replaced({ token: yield* tokenTo("mimir@asgard.example") }) })
      yield* visit("AuthEmailSignup")
      yield* visit("AuthEmailSignin")
      yield* visit("AuthEmailVerify", { body: replaced({ code: yield* codeTo("bragi@asgard.example") }) })
      yield* visit("PhoneRequestCode")
      yield* visit("PhoneSubmitCode", {
        at: { account_handle: "idun" },
        body: replaced({ code: yield* Phones.codeTo("+4915123456789") })
      })
      const { json: added } = yield* visit("AccountEmailAdd", { as: byEmail })
      const ofAddress = { account_id: byEmail.id, email_address_id: added.id }
      const unverified = ({ verified: _, ...address }: Answer["json"]) => address
      yield* visit("AccountManageUpdateEmailVerifiedStatus", { as: admin, at: ofAddress, view: unverified })
      yield* visit("AccountPasswordResetTokenGet", {
        as: admin,
        at: ofAddress,
        view: () => ({ token: resetToken })
      })
      yield* visit("AccountEmailPasswordReset", {
        as: admin,
        at: ofAddress,
        body: replaced({ email_address_id: added.id })
      })

      yield* visit("AdminSettingsUpdate", { as: admin })
      yield* visit("AdminSettingsGet", { as: admin })
      const { json: css } = yield* admin.post("/assets?filename=harbour.css", line(themeFiles.css))
      const { json: js } = yield* admin.post("/assets?filename=harbour.js", line(themeFiles.js))
      const themed = () => ({ stylesheets: [css.id], scripts: [js.id] })
      yield* visit("AdminThemeUpdate", { as: admin, body: themed })
      yield* visit("AdminThemeGet", { as: admin })
      yield* visit("ThemeGet")
      // Each database has a key of its own.
      const [{ kid, n }] = keySet.keys
      yield* visit("OAuthJWKS", {
        view: ({ keys }) => ({ keys: keys.map((key: Answer["json"]) => ({ ...key, kid, n })) })
      })
      yield* sql`update roles set permissions = array_append(permissions, 'CREATE_INVITATION') where name = 'Member'`
      const { json: invitation } = yield* visit("InvitationCreate", { as: odin })
      const ofInvitation = { invitation_id: invitation.id }
      yield* visit("InvitationGet", { at: ofInvitation })
      yield* visit("InvitationList", { as: odin })
      yield* odin.delete(`/invitations/${invitation.id}`)
      yield* sql`update roles set permissions = array_remove(permissions, 'CREATE_INVITATION') where name = 'Member'`
      yield* visit("AdminAccountBanCreate", { as: admin, at: { account_handle: "odin" } })
      yield* visit("AdminAccountBanRemove", { as: admin, at: { account_handle: "odin" } })
      const byExample = (one: object) => ({ ...one, author: note.author })
      const onOdin = { account_id: odin.id }
      yield* visit("AccountModerationNoteCreate", { as: admin, at: onOdin, view: byExample })
      yield* visit("AccountModerationNoteList", {
        as: admin,
        at: onOdin,
        view: ({ notes }) => ({ notes: notes.map(byExample) })
      })
      yield* sql`update roles set permissions = array_append(permissions, 'MANAGE_LIBRARY') where name = 'Member'`
      const { json: handbook } = yield* visit("NodeCreate", { as: odin })
      const ofNode = { node_slug: handbook.slug }
      yield* visit("NodeGet", { at: ofNode })
      yield* visit("NodeList", {
        query: { node_id: handbook.id },
        view: (list) => ({ ...list, page_size: 50 })
      })
      yield* visit("NodeUpdate", { as: odin, at: ofNode })
      yield* visit("NodeUpdateVisibility", { as: odin, at: ofNode })
      yield* visit("NodeUpdatePosition", { as: odin, at: ofNode })
      const { json: file } = yield* odin.post("/assets", png(2, 2))
      yield* visit("NodeAddAsset", { as: odin, at: { ...ofNode, asset_id: file.id } })
      yield* visit("NodeRemoveAsset", { as: odin, at: { ...ofNode, asset_id: file.id } })
      const { json: bench } = yield* odin.post("/nodes", { name: "Bench", visibility: "published" })
      yield* visit("NodeAddNode", { as: odin, at: { ...ofNode, node_slug_child: bench.slug } })
      yield* odin.patch(`/nodes/${bench.slug}/position`, { parent: null })
      yield* odin.put(`/nodes/${bench.slug}/nodes/${handbook.slug}`)
      yield* visit("NodeRemoveNode", {
        as: odin,
        at: { node_slug: bench.slug, node_slug_child: handbook.slug }
      })
      yield* visit("NodeDelete", { as: odin, at: { node_slug: bench.slug } })
      const { json: drafted } = yield* visit("NodeVersionCreate", { as: odin, at: ofNode })
      const ofVersion = { ...ofNode, version_id: drafted.id }
      yield* visit("NodeVersionDraftGet", { as: odin, at: ofNode })
      yield* visit("NodeVersionGet", { as: odin, at: ofVersion })
      yield* visit("NodeVersionList", { as: odin, at: ofNode })
      yield* visit("NodeDraftList", { as: odin })
      yield* visit("NodeVersionDraftUpdate", { as: odin, at: ofNode })
      yield* visit("NodeVersionUpdate", { as: odin, at: ofVersion })
      // The example is a draft still.
      const unapplied = (answer: Answer["json"]) => ({ ...answer, status: version.status })
      yield* visit("NodeVersionUpdateStatus", { as: odin, at: ofVersion, view: unapplied })
      const { json: second } = yield* odin.post(`/nodes/${handbook.slug}/versions`, {})
      yield* visit("NodeVersionDelete", { as: odin, at: { ...ofNode, version_id: second.id } })
      yield* sql`update roles set permissions = array_remove(permissions, 'MANAGE_LIBRARY') where name = 'Member'`

      const { json: doomed } = yield* odin.post("/threads", { title: "Doomed" })
      yield* odin.delete(`/threads/${doomed.id}`)
      yield* drainEvents
      const { json: log } = yield* visit("AuditEventList", {
        as: admin,
        query: { types: "thread_deleted" },
        view: ({ events, ...envelope }) => ({ ...envelope, results: 1, events: events.slice(0, 1) })
      })
      yield* visit("AuditEventGet", { as: admin, at: { audit_event_id: log.events[0].id } })

      const mailbox = yield* Mailbox
      const welcome = { name: "Odin", subject: "Welcome to Forum!" }
      yield* enqueue("odin@example.com", welcome)
      yield* mailbox.deliver
      yield* visit("EmailQueueList", {
        as: admin,
        query: { q: "odin@example.com" },
        view: (list) => ({ ...list, results: 1, emails: list.emails.slice(0, 1) })
      })
      mailbox.behaviour.current = { _tag: "Refuse", code: 450, message: "Busy" }
      yield* enqueue("busy@example.com", welcome)
      yield* mailbox.deliver
      const { json: queue } = yield* admin.get("/admin/email-queue?q=busy")
      // The example was sent already.
      const unsent = (rest: JsonObject) => ({
        ...rest,
        status: sentMail.status,
        recipient_address: sentMail.recipient_address,
        attempts: []
      })
      yield* visit("EmailQueueRetry", { as: admin, at: { email_id: queue.emails[0].id }, view: unsent })
      const issuedByExample = (one: object) => ({ ...one, issued_by: warning.issued_by })
      const { json: given } = yield* visit("AccountWarningCreate", {
        as: admin,
        at: onOdin,
        view: issuedByExample
      })
      yield* visit("AccountWarningList", {
        as: admin,
        at: onOdin,
        view: ({ warnings, ...rest }) => ({ ...rest, warnings: warnings.map(issuedByExample) })
      })
      const ofWarning = { ...onOdin, warning_id: given.id }
      yield* visit("AccountWarningUpdate", { as: admin, at: ofWarning, view: issuedByExample })
      yield* visit("AccountManageCreate", {
        as: admin,
        body: replaced({ handle: "frigg" }),
        // The example is another account.
        view: ({ kind, meta, misc, roles }) => ({ kind, meta, misc, roles })
      })
      yield* visit("AccountManageUpdate", {
        as: admin,
        at: onOdin,
        view: ({ verified_status: _, ...account }) => account
      })
      yield* visit("ModerationActionCreate", { as: admin, body: replaced({ account_id: freya.id }) })
    })
  )

  it.effect("none was left out", () =>
    Effect.sync(() => {
      const expected = [...operations.values()].filter(
        ({ answers, body }) => answers.size > 0 || body !== undefined
      )
      assert.deepStrictEqual(
        expected.map(({ id }) => id).filter((id) => !seen.has(id) && !unavailable.includes(id)),
        []
      )
    })
  )
})
