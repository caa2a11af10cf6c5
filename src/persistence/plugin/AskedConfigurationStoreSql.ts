import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import { JsonObject } from "../../domain/field/Json.ts"
import { AskedConfigurationStore } from "../../domain/plugin/AskedConfigurationStore.ts"
import { ConfigurationAnswer } from "../../domain/plugin/ConfigurationAnswer.ts"
import { AccountId, PluginId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { decoded, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"

const asked = decoded(
  Schema.Struct({ id: Schema.String, plugin_id: PluginId, asked_by: AccountId, configuration: JsonObject })
)

const standings = decoded(
  Schema.Struct({ answer: Schema.NullOr(ConfigurationAnswer), is_held: Schema.Boolean })
)

export const layer = Layer.effect(
  AskedConfigurationStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return AskedConfigurationStore.of({
      // One whose instance has died makes room.
      ask: ({ askedBy, configuration, id, pluginId }, until, now) =>
        some(sql`insert into asked_configurations (plugin_id, id, asked_by, configuration, until)
          values (${pluginId}, ${id}, ${askedBy}, ${sql.json(configuration)}, ${toDate(until)})
          on conflict (plugin_id) do update set id = excluded.id, asked_by = excluded.asked_by,
            configuration = excluded.configuration, until = excluded.until, taken_by = null, answer = null
          where asked_configurations.until <= ${toDate(now)}
          returning id`),

      take: (holder, now) =>
        Effect.map(
          asked.all(sql`update asked_configurations c set taken_by = ${holder} from plugins p
            where p.id = c.plugin_id and p.lease_holder = ${holder} and c.taken_by is null and c.until > ${toDate(now)}
            returning c.id, c.plugin_id, c.asked_by, c.configuration`),
          (rows) =>
            rows.map(({ asked_by, configuration, id, plugin_id }) => ({
              id,
              pluginId: plugin_id,
              askedBy: asked_by,
              configuration
            }))
        ),

      answer: (id, answer) =>
        some(sql`update asked_configurations set answer = ${sql.json(answer)}
          where id = ${id} and answer is null returning id`),

      find: (id, now) =>
        Effect.map(
          standings.first(reads`select c.answer, coalesce(p.lease_until > ${toDate(now)}
              and coalesce(c.taken_by, p.lease_holder) = p.lease_holder, false) as is_held
            from asked_configurations c join plugins p on p.id = c.plugin_id where c.id = ${id}`),
          (row) =>
            Option.map(Option.fromUndefinedOr(row), ({ answer, is_held }) => ({
              answer: answer ?? undefined,
              isHeld: is_held
            }))
        ),

      forget: (id) => run(sql`delete from asked_configurations where id = ${id}`),

      forgetAbandoned: (now) => run(sql`delete from asked_configurations where until <= ${toDate(now)}`)
    })
  })
)
