-- Accounts at other services that people sign in with.
create table identities_elsewhere (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  created_at timestamptz not null,
  used_at timestamptz,
  service text not null
    check (service in ('oauth_google', 'oauth_github', 'oauth_discord', 'oauth_keycloak', 'oauth_oidc')),
  -- Whoever answers for the service: what another issuer calls the same is somebody else.
  issuer text not null check (char_length(issuer) between 1 and 2000),
  -- As the issuer knows the person, for ever.
  subject text not null check (char_length(subject) between 1 and 255),
  -- What the person was called there when it was added.
  name text not null check (char_length(name) between 1 and 255),
  constraint identities_elsewhere_person unique (service, issuer, subject)
);

create index identities_elsewhere_of_account on identities_elsewhere (account_id, id);

create trigger identities_elsewhere_number before insert on identities_elsewhere
  for each row execute function check_number_of_rows('account_id', '20');

create trigger identities_elsewhere_ways_to_sign_in after insert or delete on identities_elsewhere
  for each row execute function note_ways_to_sign_in();
