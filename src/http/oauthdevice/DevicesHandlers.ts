import { Effect, Layer, Redacted } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { DeviceConsents } from "../../domain/oauthdevice/DeviceConsents.ts"
import { Devices, type StartedDevice } from "../../domain/oauthdevice/Devices.ts"
import { ForumApi } from "../Api.ts"
import { oauthCaching } from "../contract/Headers.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"

/** What a device gets. */
const responseOf = (started: StartedDevice) => ({
  device_code: Redacted.value(started.deviceCode),
  user_code: started.userCode,
  verification_uri: started.address,
  verification_uri_complete: started.addressWithCode,
  expires_in: started.expiresIn,
  interval: started.interval
})

const own = group(
  ForumApi,
  "oauthDevices",
  Effect.fnUntraced(function* (handlers) {
    const devices = yield* Devices
    const consents = yield* DeviceConsents
    return handlers.handleAll({
      start: ({ payload: { client_id, scope } }) =>
        Effect.map(
          fromNetwork((network) => devices.start({ clientId: client_id, scope }, network)),
          (started) => HttpApiSchema.withHeaders({ body: responseOf(started), headers: oauthCaching })
        ),
      show: ({ query }) => fromNetwork((network) => consents.show(query.user_code, network)),
      decide: ({ payload: { decision, user_code } }) =>
        fromNetwork((network) => consents.decide(user_code, decision, network))
    })
  })
)

const administrative = group(
  ForumApi,
  "adminOAuthDevices",
  Effect.fnUntraced(function* (handlers) {
    const devices = yield* Devices
    return handlers.handleAll({
      list: () => Effect.map(devices.list(), (device_authorisations) => ({ device_authorisations }))
    })
  })
)

export const layer = Layer.merge(own, administrative)
