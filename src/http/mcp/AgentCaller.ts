import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Actor } from "../../domain/shared/Actor.ts"
import type { Permission } from "../../domain/shared/Permission.ts"

/** Who sent the message that is answered, and the request in which it came. */
export interface AgentCaller {
  readonly actor: Actor
  readonly request: HttpServerRequest.HttpServerRequest
  /** Is told which permission an operation did not find. */
  readonly lacked: (permission: Permission) => void
}

/** The sender of the message that is answered; undefined outside of messages. */
export const CurrentAgentCaller = Context.Reference<AgentCaller | undefined>("forum/http/AgentCaller", {
  defaultValue: () => undefined
})
