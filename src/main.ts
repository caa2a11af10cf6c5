import { NodeRuntime } from "@effect/platform-node"
import { Layer } from "effect"
import { live } from "./layers/Server.ts"

NodeRuntime.runMain(Layer.launch(live))
