/** What commands run on that do what the service does. */
import { Layer } from "effect"
import { OperatorAccounts } from "../domain/operator/OperatorAccounts.ts"
import * as App from "../layers/wiring/App.ts"
import { chosen } from "../layers/wiring/Server.ts"
import { checked, type Database, settings } from "./Environment.ts"

/** The stores and services of the service, over its database. */
export const operating = (database: Database) =>
  App.consumers.pipe(
    Layer.provideMerge(Layer.merge(App.services, OperatorAccounts.layer)),
    Layer.provideMerge(App.stores),
    Layer.provide(chosen),
    Layer.provideMerge(checked(database)),
    Layer.provide(settings)
  )
