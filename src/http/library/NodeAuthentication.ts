import { Context, Effect, flow, Layer, Option } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import { isStorable, toTerm } from "../../domain/field/Text.ts"
import type { NodeSummary } from "../../domain/library/NodeSummary.ts"
import { NodeViews } from "../../domain/library/NodeViews.ts"
import { Sessions } from "../../domain/session/Sessions.ts"
import { decideGuestAccess } from "../../domain/shared/Access.ts"
import { DeclaredGuestAccess } from "../contract/Access.ts"
import { admitting, credentialsOf, forActor } from "../pipeline/Authentication.ts"
import { NodeOperation, RequestedNode } from "./NodeAccess.ts"

export const layer = Layer.effect(
  NodeOperation,
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const { ahead } = yield* NodeViews

    /** Identifies the caller together with the node that the mark in the address names; the address is not decoded yet. */
    const identify = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const { node_slug = "" } = yield* HttpRouter.params
      const credentials = credentialsOf(request)
      return isStorable(node_slug)
        ? yield* sessions.identifyWith(credentials, ahead(toTerm(node_slug)))
        : ([yield* sessions.identify(credentials), Option.none<NodeSummary>()] as const)
    })

    return NodeOperation.of(
      admitting(DeclaredGuestAccess, decideGuestAccess, identify, (actor, node) =>
        flow(forActor(actor), Context.add(RequestedNode, node))
      )
    )
  })
)
