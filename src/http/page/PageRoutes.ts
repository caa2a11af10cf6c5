/** The pages of the service. They answer where no frontend has pages of its own. */
import { Effect, Layer } from "effect"
import { Deployment } from "../../domain/settings/Deployment.ts"
import * as AuthorisationPages from "./AuthorisationPages.ts"
import * as CodePages from "./CodePages.ts"
import * as DevicePages from "./DevicePages.ts"
import { makeEmailCodeWay } from "./EmailCodeWay.ts"
import { makePhoneCodeWay } from "./PhoneCodeWay.ts"
import * as SignInPages from "./SignInPages.ts"

type Methods = Readonly<Record<`/${string}`, ReadonlyArray<"GET" | "POST">>>

const all: Methods = {
  ...SignInPages.paths,
  ...CodePages.pathsOf("email"),
  ...CodePages.pathsOf("phone"),
  ...AuthorisationPages.paths,
  ...DevicePages.paths
}

/** Whether people read the forum at the origin of the service, where a frontend elsewhere would have these pages. */
const areHere = ({ publicUrl, webUrl }: Deployment["Service"]) => webUrl.origin === publicUrl.origin

/** The paths of the pages that there are, with the methods that they take. */
export const pathsOf = (deployment: Deployment["Service"]): Methods => (areHere(deployment) ? all : {})

export const layer = Layer.unwrap(
  Effect.map(Deployment, (deployment) =>
    areHere(deployment)
      ? Layer.mergeAll(
          SignInPages.layer,
          CodePages.routesOf(makeEmailCodeWay),
          CodePages.routesOf(makePhoneCodeWay),
          AuthorisationPages.layer,
          DevicePages.layer
        )
      : Layer.empty
  )
)
