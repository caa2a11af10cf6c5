import { migration } from "../shared/migration.ts"

// As in the schemas of the settings.
const [overrides, networks] = [500, 256]

const isPositive = (name: string) => `coalesce((value ->> '${name}')::numeric > 0, true)`

const isShort = (name: string, length: number) =>
  `jsonb_array_length(coalesce(value -> '${name}', '[]')) <= ${length}`

export default migration([
  `alter table settings drop constraint settings_part`,
  `alter table settings add constraint settings_part
    check (part in ('general', 'moderation', 'rate_limiting', 'client_ip'))`,
  `alter table settings add constraint settings_rate_limiting check (part <> 'rate_limiting' or (
    ${["rate_limit", "rate_limit_period", "rate_limit_bucket", "rate_limit_guest_cost"].map(isPositive).join(" and ")}
    and jsonb_array_length(
      jsonb_path_query_array(coalesce(value -> 'cost_overrides', '{}'), '$.keyvalue()')) <= ${overrides}
    and not jsonb_path_exists(value, '$.cost_overrides.* ? (@ < 0)')
    and ${isShort("exempt_cidrs", networks)}))`,
  `alter table settings add constraint settings_client_ip check (part <> 'client_ip' or (
    coalesce(value ->> 'client_ip_mode', 'remote_addr') in ('remote_addr', 'single_header', 'xff_trusted_proxies')
    and ${isShort("trusted_proxy_cidrs", networks)}))`,
  `insert into settings (part) values ('rate_limiting'), ('client_ip')`
])
