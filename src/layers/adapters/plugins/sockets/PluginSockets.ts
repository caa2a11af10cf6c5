/** Lets plugins connect to the server of this process. */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { Clock, Context, Effect, FiberSet, Layer, Option } from "effect"
import { Headers } from "effect/http"
import { type WebSocket, WebSocketServer } from "ws"
import { PluginDoor, type PresentedPlugin } from "../../../../domain/plugin/PluginDoor.ts"
import { closings } from "../../../../domain/plugin/PluginSocket.ts"
import type { StoredPlugin } from "../../../../domain/plugin/PluginStore.ts"
import type { ClientAddressSettings } from "../../../../domain/settings/ClientAddressSetting.ts"
import { Deployment } from "../../../../domain/settings/Deployment.ts"
import { InstanceSettings } from "../../../../domain/settings/InstanceSettings.ts"
import { addressFinder, networkOf, unknownNetwork } from "../../../../http/pipeline/ClientAddress.ts"
import type { Upgrades } from "../../../connections/BoundedServer.ts"
import { makeKnocking } from "./Knocking.ts"
import { frameMax, pluginSocket } from "./WebSocketOfPlugin.ts"

/** Where the server of this process takes what becomes of connections that ask for another protocol. */
export class UpgradingServer extends Context.Service<
  UpgradingServer,
  { readonly upgrading: (upgrades: Upgrades) => void }
>()("forum/layers/UpgradingServer") {}

const paths: ReadonlySet<string> = new Set(["/rpc", "/api/rpc"])

const addressOf = (request: IncomingMessage): URL | undefined => {
  const text = `http://service${request.url ?? ""}`
  return URL.canParse(text) ? new URL(text) : undefined
}

const bearerOf = ({ headers }: IncomingMessage) => /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1]

/** Who a request says connects: in its address, or with its token in a header, which no log of addresses has. */
const presentedBy = (request: IncomingMessage): PresentedPlugin => {
  const parameters = addressOf(request)?.searchParams
  return {
    pluginId: parameters?.get("plugin_id") ?? undefined,
    token: parameters?.get("token") ?? bearerOf(request)
  }
}

/** Finds the networks of clients that want to connect, by the same settings as those of any request. */
const makeNetworks = () => {
  let used:
    | { readonly settings: ClientAddressSettings; readonly find: ReturnType<typeof addressFinder> }
    | undefined
  return (settings: ClientAddressSettings, { headers, socket }: IncomingMessage) => {
    if (used?.settings !== settings) used = { settings, find: addressFinder(settings) }
    const address = used.find({
      headers: Headers.fromInput(headers),
      peerAddress: Option.fromUndefinedOr(socket.remoteAddress)
    })
    return address === undefined ? unknownNetwork : networkOf(address)
  }
}

/** What it says of the program. Whoever reads batches says so in the address, which all libraries can. */
const programOf = (request: IncomingMessage) => ({
  userAgent: request.headers["user-agent"] ?? "",
  readsBatches: addressOf(request)?.searchParams.get("batches") === "true"
})

const reasons = {
  400: "Bad Request",
  401: "Unauthorized",
  503: "Service Unavailable"
} as const

/** Answers a request that does not become a connection. */
const refuse = (socket: Socket, status: keyof typeof reasons, text: string) => {
  const headers = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    "content-type: text/plain; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    "cache-control: no-store",
    "connection: close"
  ]
  socket.on("error", () => {})
  socket.end(`${headers.join("\r\n")}\r\n\r\n${text}`, () => socket.destroy())
}

const options = { noServer: true, clientTracking: false, maxPayload: frameMax } as const

/** Makes the function that finds the server for a program. */
const makeServers = () => {
  const usual = new WebSocketServer({
    ...options,
    // Short frames are not worth it, and no context is kept, which would be 300 KB for each connection.
    perMessageDeflate: {
      threshold: 1024,
      concurrencyLimit: 4,
      serverNoContextTakeover: true,
      clientNoContextTakeover: true
    }
  })
  // Most libraries would compress the answers to a batch, which takes longer than all else that is done with them.
  const ofBatches = new WebSocketServer({ ...options, perMessageDeflate: false })
  return (readsBatches: boolean) => (readsBatches ? ofBatches : usual)
}

const upgraded = (server: WebSocketServer, request: IncomingMessage, socket: Socket, head: Buffer) =>
  Effect.callback<WebSocket>((resume) => {
    server.handleUpgrade(request, socket, head, (webSocket) => resume(Effect.succeed(webSocket)))
    // It has been answered then.
    socket.once("close", () => resume(Effect.interrupt))
  })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const door = yield* PluginDoor
    const { upgrading } = yield* UpgradingServer
    const { pluginsEnabled } = yield* Deployment
    if (!pluginsEnabled) return
    const serverFor = makeServers()
    const settings = yield* InstanceSettings
    const { currentTimeMillisUnsafe } = yield* Clock.Clock
    const knocking = makeKnocking(currentTimeMillisUnsafe)
    const networkOfClient = makeNetworks()
    const run = yield* FiberSet.makeRuntime<never>()

    const serve = Effect.fnUntraced(function* (
      plugin: StoredPlugin,
      request: IncomingMessage,
      socket: Socket,
      head: Buffer
    ) {
      const program = programOf(request)
      const webSocket = yield* upgraded(serverFor(program.readsBatches), request, socket, head)
      const connection = pluginSocket(webSocket, socket, program)
      yield* door
        .serve(plugin, connection)
        .pipe(
          Effect.onExit(({ _tag }) =>
            connection.close(_tag === "Success" ? closings.closed : closings.failed)
          )
        )
    })

    const decide = (request: IncomingMessage, socket: Socket, network: string) =>
      Effect.gen(function* () {
        const admission = yield* door.admit(presentedBy(request))
        if (admission._tag === "Admitted") return admission.plugin
        knocking.failed(network)
        if (admission._tag === "Malformed") refuse(socket, 400, admission.message)
        else refuse(socket, 401, "There is no plugin with this token")
        return undefined
      }).pipe(
        Effect.catchCause((cause) => {
          refuse(socket, 503, "The service cannot tell now whether this plugin may connect")
          return Effect.as(Effect.logWarning("A plugin could not connect", cause), undefined)
        })
      )

    const take: Upgrades["take"] = (request, socket, head) => {
      socket.on("error", () => {})
      const deciding = Effect.gen(function* () {
        const { client_ip } = yield* settings.latest
        const network = networkOfClient(client_ip, request)
        if (!knocking.begin(network)) return refuse(socket, 503, "Too many programs try to connect")
        return yield* Effect.ensuring(
          decide(request, socket, network),
          Effect.sync(() => knocking.end(network))
        )
      })
      run(
        Effect.flatMap(deciding, (plugin) =>
          plugin === undefined ? Effect.void : serve(plugin, request, socket, head)
        )
      )
    }

    upgrading({
      takes: (request) => {
        const { pathname } = addressOf(request) ?? { pathname: "" }
        return request.headers.upgrade?.toLowerCase() === "websocket" && paths.has(pathname)
      },
      take
    })
  })
)
