/**
 * What programs of plugins are made with: `connectPlugin` for programs with promises, `connect` for programs with
 * Effect. It needs the `WebSocket` that Node 22, browsers and other platforms have.
 */
export type { Change, ChangeName } from "../domain/change/Changes.ts"
export { iterate } from "./Lists.ts"
export type { Configuration } from "./plugin/Answering.ts"
export { type ConnectedPlugin, type ConnectOptions, connect, type PluginFailure } from "./plugin/Connect.ts"
export { connectPlugin, type EventNamed, type Plugin, type PluginOptions } from "./plugin/ConnectPlugin.ts"
export { PluginCallFailed, PluginDisconnected, PluginRefused } from "./plugin/Failures.ts"
export type { PluginApi } from "./plugin/PluginApi.ts"
export type { Ending } from "./plugin/Reconnecting.ts"
export type { Access } from "./plugin/Session.ts"
