"""Uses the client that openapi-python-client has made, against a service with data: client.py ADDRESS HANDLE PASSWORD, of an
administrator. It writes something of each kind that nobody has made yet, and calls every operation that reads.

Every answer has to be of a declared status, be decoded without a failure, and become the same JSON again.
"""

import importlib
import inspect
import io
import json
import pkgutil
import secrets
import sys
from datetime import datetime
from typing import get_args

import forum_python.api
from forum_python.client import Client
from forum_python.types import File, Unset

address, handle, password = sys.argv[1:]

# What no program reads as an answer: streams that do not end, and pages that lead a browser elsewhere.
NOT_FOR_PROGRAMS = {
    "change_stream",
    "plugin_get_logs",
    "o_auth_authorise",
    "o_auth_authorise_consent",
    "o_auth_device_consent",
    "o_auth_provider_start",
    "o_auth_remote_callback",
}

# What is refused to whoever has only signed in, or has nothing of the kind, with the status of its problem.
REFUSED = {
    "account_erasure_get": 404,
    "account_export_get": 404,
    "account_export_download": 404,
    "admin_account_erasure_get": 404,
    "feed_calendar": 404,
    "o_auth_client_registration_get": 401,
    "o_auth_user_info": 401,
    "plugin_download_package": 400,
    "web_authn_get_assertion": 404,
    "webhook_delivery_get": 404,
}


def operations():
    for group in pkgutil.iter_modules(forum_python.api.__path__):
        package = importlib.import_module(f"forum_python.api.{group.name}")
        for module in pkgutil.iter_modules(package.__path__):
            yield module.name, importlib.import_module(f"{package.__name__}.{module.name}")


OPERATIONS = dict(operations())


def same(sent, decoded):
    """Whether JSON is what a model becomes; times may be written in another way."""
    if isinstance(sent, dict) and isinstance(decoded, dict):
        return sent.keys() == decoded.keys() and all(same(sent[key], decoded[key]) for key in sent)
    if isinstance(sent, list) and isinstance(decoded, list):
        return len(sent) == len(decoded) and all(map(same, sent, decoded))
    if isinstance(sent, str) and isinstance(decoded, str) and sent != decoded:
        return datetime.fromisoformat(sent) == datetime.fromisoformat(decoded)
    return sent == decoded


def model_of(operation):
    """The class of the body of an operation; of several, the first that is one."""
    annotation = inspect.signature(operation.sync_detailed).parameters["body"].annotation
    return next(kind for kind in get_args(annotation) or (annotation,) if hasattr(kind, "from_dict"))


def call(name, client, status=None, body=None, /, **parameters):
    operation = OPERATIONS[name]
    if body is not None:
        parameters["body"] = model_of(operation).from_dict(body) if isinstance(body, dict) else body
    answer = operation.sync_detailed(client=client, **parameters)
    found = answer.status_code.value
    if found != status and (status is not None or found >= 400):
        raise SystemExit(f"{name} answered {found}: {answer.content[:500]}")
    if "json" in answer.headers.get("content-type", ""):
        to_dict = getattr(answer.parsed, "to_dict", None)
        if to_dict is None or not same(json.loads(answer.content), to_dict()):
            raise SystemExit(f"{name} is decoded as something else: {answer.content[:500]}")
    elif answer.content and isinstance(answer.parsed, (type(None), Unset)):
        raise SystemExit(f"{name} is not decoded: {answer.headers['content-type']}")
    return answer


def make(name, body=None, /, **parameters):
    return call(name, member, None, body, **parameters).parsed


strict = {"base_url": f"{address}/api", "raise_on_unexpected_status": True}
signed_in = call("auth_password_signin", Client(**strict), None, {"identifier": handle, "token": password})
cookie, value = signed_in.headers["set-cookie"].split(";")[0].split("=", 1)
member = Client(**strict, cookies={cookie: value})
account = make("account_get")

# Once more against the same service, slugs are other ones.
title = f"Made by a generated client {secrets.token_hex(4)}"

make("access_key_create", {"name": "generated"})
oauth_client = make("o_auth_client_create", {
    "name": "generated", "type": "confidential", "redirect_uris": ["https://generated.example/callback"],
    "allowed_scopes": ["READ_PUBLISHED_THREADS"], "allowed_grants": ["authorization_code"], "pkce_required": True,
})
webhook = make("webhook_create", {
    "name": "generated", "url": "https://hooks.example/forum", "events": ["EventThreadPublished"],
})
invitation = make("invitation_create", {"message": "Come and have a drink."})
plugin = make("plugin_add", {"mode": "external", "manifest": {
    "id": "generated", "name": "Generated", "author": "somebody", "version": "1.0.0", "description": "Does nothing",
    "command": "true", "events_consumed": [],
}})
other = make("profile_get", account_handle=make("profile_list").profiles[-1].handle)
make("account_moderation_note_create", {"content": "A note"}, account_id=other.id)
make("account_warning_create", {"reason": "Nothing serious"}, account_id=other.id)

category = make("category_list").categories[0]
asset = make("asset_upload", File(payload=io.BytesIO(b"Words in a file"), file_name="words.txt"), filename="words.txt")
thread = make("thread_create", {
    "title": title, "body": "<p>Hello.</p>", "visibility": "published",
    "category": category.id, "tags": ["generated"], "url": "https://elsewhere.example/generated",
})
reply = make("reply_create", {"body": "<p>Hello again.</p>"}, thread_mark=thread.slug)
make("post_update", {"body": "<p>Once more.</p>"}, post_id=reply.id)
make("post_react_add", {"emoji": "👍"}, post_id=reply.id)
make("like_post_add", post_id=thread.id)
make("report_create", {"target_id": reply.id, "target_kind": "reply", "comment": "A trial"})
collection = make("collection_create", {"name": title})
make("collection_add_post", collection_mark=collection.slug, post_id=thread.id)
event = make("event_create", {
    "name": title, "content": "<p>Bring a cup.</p>", "participation_policy": "open",
    "time_range": {"start": "2100-12-21T17:00:00.000Z", "end": "2100-12-22T02:00:00.000Z"},
    "visibility": "published", "thread_category_id": category.id,
    "location": {"location_type": "physical", "name": "The hall", "latitude": 59.9, "longitude": 10.7},
})
page = make("node_create", {"name": title, "content": "<p>How.</p>", "visibility": "published"})
make("node_update_properties", {"properties": [
    {"name": "Weight", "type": "number", "value": "42", "sort": "1"}]}, node_slug=page.slug)
version = make("node_version_create", {"content": "<p>How, since today.</p>"}, node_slug=page.slug)

VALUES = {
    "account_handle": account.handle, "account_id": other.id, "asset_filename": asset.filename,
    "audit_event_id": make("audit_event_list").events[0].id, "category_slug": category.slug,
    "client_id": oauth_client.client.client_id, "collection_mark": collection.slug, "event_mark": event.slug,
    "format_": "atom", "icon_size": "512x512", "id": reply.id, "invitation_id": invitation.id,
    "delivery_id": "none", "key": "a key that there is not", "link_slug": make("link_list").links[0].slug, "name": "thread-not-found",
    "node_slug": page.slug, "oauth_client_id": oauth_client.client.id, "plugin_instance_id": plugin.id, "post_id": thread.id,
    "q": "generated", "role_id": make("role_list").roles[0].id, "tag_name": "generated", "thread_mark": thread.slug,
    "version_id": version.id, "webhook_id": webhook.id,
}

reads = 0
for name, operation in OPERATIONS.items():
    required = [
        parameter.name
        for parameter in inspect.signature(operation._get_kwargs).parameters.values()
        if parameter.default is parameter.empty
    ]
    if "body" in required or name in NOT_FOR_PROGRAMS:
        continue
    if operation._get_kwargs(**dict.fromkeys(required, ""))["method"] == "get":
        call(name, member, REFUSED.get(name), **{parameter: VALUES[parameter] for parameter in required})
        reads += 1
print(f"The client for Python reads with {reads} operations")
