/** A plugin: a program that the service tells what happens, and that may ask it and act as its own account. */
import type { Change, ChangeName } from "../../domain/change/Changes.ts"
import type { Configuration } from "./Answering.ts"
import { type Connected, type ConnectionOptions, keepConnected } from "./KeepConnected.ts"
import { type PluginApi, promisedBy } from "./PluginApi.ts"

export type EventNamed<Name extends ChangeName> = Extract<Change, { readonly event: Name }>

export interface PluginOptions extends ConnectionOptions {
  /** What to do when something happens, by the names of events that the manifest lists. */
  readonly on?: { readonly [Name in ChangeName]?: (event: EventNamed<Name>, api: PluginApi) => unknown }
  /** Takes what an administrator has chosen, or answers false to refuse it. Without it all is taken. */
  readonly configure?: (configuration: Configuration, api: PluginApi) => boolean | Promise<boolean>
  /** Told what a handler threw. The service is told its message, and logs that. */
  readonly onError?: (error: unknown, event: Change | undefined) => void
}

export interface Plugin extends Connected {
  /** The API, as the account of the plugin. */
  readonly api: PluginApi
}

// The handler of a name takes the event of that name, which types of unions do not say.
const handlerOf = (on: NonNullable<PluginOptions["on"]>, { event }: Change) =>
  on[event] as ((event: Change, api: PluginApi) => unknown) | undefined

/**
 * Connects a plugin. Answers when the service has accepted it, and is rejected with `PluginRefused` if it does not. An
 * external plugin then stays connected as well as it can: it waits for a service that is away, from 250 milliseconds
 * to 10 seconds at a time. One that the service runs has one connection, and ends with it.
 */
export const connectPlugin = async (options: PluginOptions = {}): Promise<Plugin> => {
  const { configure = () => true, on = {}, onError = () => {} } = options
  const connected = await keepConnected(options, (client) => {
    const api = promisedBy(client)
    return {
      event: (event) => handlerOf(on, event)?.(event, api),
      configure: (chosen) => configure(chosen, api),
      failed: onError
    }
  })
  return { ...connected, api: promisedBy(connected.client) }
}
