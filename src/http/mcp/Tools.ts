/** The tools of agents: each calls its operation as the sender of the message. */
import { Context, Effect, Option, Result, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { decideAccountAccess, decideGuestAccess } from "../../domain/shared/Access.ts"
import type { Actor } from "../../domain/shared/Actor.ts"
import type { AnyProblem } from "../../domain/shared/Problem.ts"
import { ForumApi } from "../Api.ts"
import { DeclaredAccountAccess, DeclaredGuestAccess } from "../contract/AccessPolicies.ts"
import { AgentTools } from "../contract/AgentTool.ts"
import { endpointsOf } from "../contract/Endpoints.ts"
import { InvalidRequest } from "../contract/RequestProblems.ts"
import type { DescribedTool } from "../document/ToolList.ts"
import { problemBody } from "../pipeline/ProblemResponse.ts"
import { RequestContext } from "../pipeline/RequestContext.ts"
import { CurrentAgentCaller } from "./AgentCaller.ts"
import type { CallApi } from "./ApiCalls.ts"
import { callOf, refusal, resultOf } from "./ToolCall.ts"

/**
 * The longest answer that a tool passes on, in characters: what is longer is no use to a program that reads it as text,
 * and takes the process a tenth of a second to write.
 */
export const answerMax = Context.Reference<number>("forum/http/ToolAnswerMax", {
  defaultValue: () => 1024 * 1024
})

const isArguments = Schema.is(Schema.Record(Schema.String, Schema.Json))

/** The endpoint of each tool, by the name of the tool. */
const endpoints = new Map(
  endpointsOf(ForumApi).flatMap(({ endpoint }) =>
    Context.get(endpoint.annotations, AgentTools).map(({ name }) => [name, endpoint] as const)
  )
)

/** Why a caller may not use a tool at all. What depends on its arguments is decided when it is called. */
const refusalOf = (actor: Actor, name: string): AnyProblem | undefined => {
  const annotations = endpoints.get(name)?.annotations ?? Context.empty()
  const forAccounts = Context.getOption(annotations, DeclaredAccountAccess)
  if (Option.isSome(forAccounts))
    return Result.getOrUndefined(Result.flip(decideAccountAccess(forAccounts.value, actor)))
  const forGuests = Context.getOption(annotations, DeclaredGuestAccess)
  return Option.isSome(forGuests)
    ? Result.getOrUndefined(Result.flip(decideGuestAccess(forGuests.value, actor)))
    : undefined
}

/** Lists the tools that the sender may use. Others are called all the same, and answer why they refuse. */
export const visibility = McpServer.visibility(({ method, target }) =>
  Effect.map(CurrentAgentCaller, (caller) =>
    method === "tools/list" ? caller !== undefined && refusalOf(caller.actor, target) === undefined : true
  )
)

const tooLong = (length: number, max: number) =>
  refusal(
    `The answer has ${length} characters, of which a tool passes on ${max} at most. Ask for less of it, or use the API.`
  )

const answering = (tool: DescribedTool, callApi: CallApi) =>
  Effect.fnUntraced(function* (given: unknown) {
    const caller = yield* CurrentAgentCaller
    const { traceId } = yield* RequestContext
    const call = callOf(tool, isArguments(given) ? given : {})
    if (call instanceof InvalidRequest) {
      // Who may not use it is told that first, as by the operation.
      const problem = (caller && refusalOf(caller.actor, tool.name)) ?? call
      return refusal(JSON.stringify(problemBody(problem, traceId)))
    }
    const answer = yield* callApi(call)
    const max = yield* answerMax
    return answer.text.length > max ? tooLong(answer.text.length, max) : resultOf(tool, answer)
  })

const descriptorOf = ({ description, hints, inputSchema, name, outputSchema, title }: DescribedTool) =>
  new McpSchema.Tool({
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    outputSchema,
    annotations: { title, ...hints }
  })

/** Registers the tools. */
export const registerTools = Effect.fnUntraced(function* (
  tools: ReadonlyArray<DescribedTool>,
  callApi: CallApi
) {
  const server = yield* McpServer.McpServer
  const services = yield* Effect.context<never>()
  for (const tool of tools) {
    yield* server.addTool({
      tool: descriptorOf(tool),
      annotations: Context.empty(),
      services,
      handle: answering(tool, callApi)
    })
  }
})
