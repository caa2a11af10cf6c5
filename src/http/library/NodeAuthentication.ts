import { Context, Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import { NodeViews } from "../../domain/library/NodeViews.ts"
import { Sessions } from "../../domain/session/Sessions.ts"
import { decideGuestAccess } from "../../domain/shared/Access.ts"
import { DeclaredGuestAccess } from "../shared/Access.ts"
import { admitting, credentialsOf, forActor } from "../shared/Authentication.ts"
import { AddressedNode, NodeOperation } from "./NodeAccess.ts"

export const layer = Layer.effect(
  NodeOperation,
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const { ahead } = yield* NodeViews

    /** Identifies the caller together with what the mark in the address names. */
    const identify = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const { node_slug = "" } = yield* HttpRouter.params
      return yield* sessions.identifyWith(credentialsOf(request), ahead(node_slug))
    })

    return NodeOperation.of(
      admitting(DeclaredGuestAccess, decideGuestAccess, identify, (actor, node) =>
        Context.add(forActor(actor), AddressedNode, node)
      )
    )
  })
)
