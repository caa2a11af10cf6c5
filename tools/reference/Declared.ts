/** The operations of the API, as they declare themselves and as the description has them. */
import { Context, Option } from "effect"
import type { Access } from "../../src/domain/shared/Access.ts"
import type { Permission } from "../../src/domain/shared/Permission.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { declaredAccess, OpenOperation } from "../../src/http/contract/AccessPolicies.ts"
import { type AgentTool, AgentTools } from "../../src/http/contract/AgentTool.ts"
import { type DeclaredEndpoint, endpointsOf } from "../../src/http/contract/Endpoints.ts"
import { takesKeys } from "../../src/http/contract/IdempotentOperation.ts"
import { MailOperation } from "../../src/http/contract/MailOperation.ts"
import { OperationTraits } from "../../src/http/contract/Operation.ts"
import { PluginOperation } from "../../src/http/contract/PluginOperation.ts"
import { SmsOperation } from "../../src/http/contract/SmsOperation.ts"
import { problemsOf } from "../../src/http/document/Failures.ts"
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../../src/http/document/Json.ts"
import { describedNow } from "../compatibility/Releases.ts"

export const description = describedNow()

export const schemas = objectAt(objectAt(description, "components"), "schemas")

export interface DeclaredOperation {
  readonly id: string
  readonly area: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly described: JsonObject
  readonly access: Access
  /** The permissions any of which is enough, and one that is needed beside them. */
  readonly permissions: ReadonlyArray<Permission>
  readonly also: Permission | undefined
  /** Whether it asks who calls. */
  readonly asksWho: boolean
  readonly cost: string
  readonly heavyWith: ReadonlyArray<string>
  readonly units: number
  readonly takesKeys: boolean
  readonly tools: ReadonlyArray<AgentTool>
  /** What of an instance it needs. */
  readonly needs: ReadonlyArray<string>
  /** The names of its problems. */
  readonly problems: ReadonlyArray<string>
}

const needed = [
  [MailOperation, "mail"],
  [SmsOperation, "text messages"],
  [PluginOperation, "plugins"]
] as const

const declaredBy = ({ endpoint, middleware }: DeclaredEndpoint) => {
  const access = Option.getOrThrow(declaredAccess(endpoint.annotations))
  const { cost, heavyWith, units } = Context.get(endpoint.annotations, OperationTraits)
  const has = (one: { readonly key: string }) => [...middleware].some(({ key }) => key === one.key)
  return {
    access,
    permissions:
      "permission" in access
        ? [access.permission, ...(access.alternative === undefined ? [] : [access.alternative])]
        : [],
    also: "also" in access ? access.also : undefined,
    asksWho: !has(OpenOperation),
    cost,
    heavyWith,
    units,
    takesKeys: takesKeys(endpoint),
    tools: Context.get(endpoint.annotations, AgentTools),
    needs: needed.flatMap(([one, name]) => (has(one) ? [name] : [])),
    problems: problemsOf(endpoint, middleware).map(({ name }) => name)
  }
}

const declared = new Map(endpointsOf(ForumApi).map((endpoint) => [endpoint.id, endpoint]))

/** All operations, in the order of their addresses. */
export const operations: ReadonlyArray<DeclaredOperation> = Object.entries(
  objectAt(description, "paths")
).flatMap(([path, item]) =>
  Object.entries(isObject(item) ? item : {}).flatMap(([method, described]) => {
    const id = textAt(described, "operationId") ?? ""
    const endpoint = declared.get(id)
    if (endpoint === undefined || !isObject(described)) return []
    return [
      {
        id,
        area: String(listAt(described, "tags")[0]),
        method: method.toUpperCase(),
        path,
        summary: textAt(described, "summary") ?? "",
        described,
        ...declaredBy(endpoint)
      }
    ]
  })
)

/** The areas of the API with what they are, in the order of the description. */
export const areas: ReadonlyArray<{ readonly name: string; readonly about: string }> = listAt(
  description,
  "tags"
).map((tag) => ({ name: textAt(tag, "name") ?? "", about: textAt(tag, "description") ?? "" }))
