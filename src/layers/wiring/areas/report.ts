import * as ReportConsumers from "../../../domain/report/ReportConsumers.ts"
import { Reports } from "../../../domain/report/Reports.ts"
import * as ReportsHandlers from "../../../http/report/ReportsHandlers.ts"
import * as ReportStoreSql from "../../../persistence/report/ReportStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const report = {
  ...empty,
  stores: ReportStoreSql.layer,
  services: Reports.layer,
  handlers: ReportsHandlers.layer,
  consumers: ReportConsumers.make
} satisfies Area
