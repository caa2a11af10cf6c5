/** A connection that the service has accepted, and what goes with it. */
import { Effect, Predicate } from "effect"
import { type RpcFailure, rpcCodes } from "../../domain/plugin/PluginRpc.ts"
import { type Client, makeFetch } from "../Client.ts"
import { type Configuration, configurationOf } from "./Answering.ts"
import type { Connection } from "./Connection.ts"
import { PluginCallFailed } from "./Failures.ts"

/** Where the API is, without `/api`, and the key of the plugin's account. */
export interface Access {
  readonly baseUrl: string
  readonly accessKey: string
}

export interface Session {
  readonly configuration: (keys: ReadonlyArray<string>) => Promise<Configuration>
  readonly access: () => Promise<Access>
  readonly client: () => Promise<Client>
}

const isFailure = (value: unknown): value is RpcFailure =>
  Predicate.hasProperty(value, "code") && typeof value.code === "number"

/** The access that an answer tells, which has its own result or failure in it. */
const accessOf = (answer: unknown, apiUrl: string | URL | undefined): Access => {
  const inner = Predicate.hasProperty(answer, "result") ? answer.result : undefined
  if (Predicate.hasProperty(inner, "api_base_url") && Predicate.hasProperty(inner, "access_key")) {
    return { baseUrl: String(apiUrl ?? inner.api_base_url), accessKey: String(inner.access_key) }
  }
  const error = Predicate.hasProperty(answer, "error") ? answer.error : undefined
  throw isFailure(error)
    ? new PluginCallFailed({ code: error.code, message: error.message })
    : new PluginCallFailed({ code: rpcCodes.internal, message: "The service gave no access" })
}

/** Makes something when it is first asked for, and once, unless that fails. */
const once = <A>(make: () => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

export const sessionOf = ({ call }: Connection, apiUrl: string | URL | undefined): Session => {
  const access = once(async () => accessOf(await call("access_get"), apiUrl))
  return {
    configuration: async (keys) => {
      const answer = await call("get_config", { keys })
      return configurationOf(Predicate.hasProperty(answer, "config") ? answer.config : undefined)
    },
    access,
    client: once(async () => Effect.runPromise(makeFetch(await access())))
  }
}
