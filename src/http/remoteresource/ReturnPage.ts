/** The page to which remote servers send browsers back where there is no frontend. It says what came of it. */
import { Context, Effect, Option, Schema } from "effect"
import { remoteCallbackPath } from "../../domain/discovery/ClientMetadata.ts"
import type { RemoteConnection } from "../../domain/remoteresource/RemoteConnection.ts"
import { RemoteConnections } from "../../domain/remoteresource/RemoteConnections.ts"
import { DeclaredAccountAccess } from "../contract/AccessPolicies.ts"
import type { Consenting } from "../page/ConsentView.ts"
import { html, said } from "../page/Html.ts"
import { announced, signedInFooter } from "../page/Layout.ts"
import { type PageAnswer, queryOf, shown, type Visit } from "../page/PageAnswer.ts"
import { type Page, returningTo } from "../page/Pages.ts"
import { makeSignedIn } from "../page/SignedIn.ts"
import { brought, RemoteCallbackApi } from "./RemoteResourcesApi.ts"

export const paths = { [remoteCallbackPath]: ["GET"] } as const

const toBrought = Schema.decodeOption(Schema.Struct(brought))

const access = Context.getUnsafe(RemoteCallbackApi.endpoints.finish.annotations, DeclaredAccountAccess)

const connectedPage = (
  { handle, root, texts }: Consenting,
  { resource_name, resource_url }: RemoteConnection
): PageAnswer =>
  shown({
    title: texts.remote.title,
    body: html`<p role="status">${texts.remote.connectedTo} <strong>${said(resource_name ?? resource_url)}</strong></p>
<p><a href="${root}">${texts.layout.frontPage}</a></p>
${signedInFooter(handle, { root, texts })}`
  })

const refusedPage = (
  { handle, root, texts }: Consenting,
  text: string,
  { status }: { readonly status: number }
): PageAnswer =>
  shown(
    {
      title: texts.remote.refusedTitle,
      isError: true,
      body: html`${announced(text)}${signedInFooter(handle, { root, texts })}`
    },
    status
  )

const make = Effect.gen(function* () {
  const connections = yield* RemoteConnections
  const signedIn = yield* makeSignedIn(access)

  const answer = (visit: Visit) =>
    signedIn(visit, visit.request.url, (view) => {
      const { remote } = visit.texts
      const refuse = (text: string) => (problem: { readonly status: number }) =>
        Effect.succeed(refusedPage(view, text, problem))
      const query = queryOf(visit)
      if (query("code") === "") return refuse(remote.denied)({ status: 400 })
      const iss = query("iss")
      const found = toBrought({ state: query("state"), code: query("code"), ...(iss === "" ? {} : { iss }) })
      if (Option.isNone(found)) return refuse(remote.notBegun)({ status: 400 })
      const texts = {
        expired: remote.notBegun,
        used: remote.notBegun,
        issuer: remote.otherServer,
        unreachable: remote.noToken,
        refused: remote.noToken,
        answer: remote.noToken
      }
      return connections.finish(found.value).pipe(
        Effect.map(({ connection }) => connectedPage(view, connection)),
        Effect.catchTags({
          RemoteCallbackRefused: (problem) => refuse(texts[problem.metadata.reason])(problem),
          RemoteStateUnknown: refuse(remote.notBegun),
          RemoteStateNotYours: refuse(remote.notBegun)
        })
      )
    })

  return {
    name: "return from remote servers",
    operation: "OAuthRemoteCallback",
    answer
  } satisfies Page
})

export const layer = returningTo(remoteCallbackPath, make)
