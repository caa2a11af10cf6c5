// Uses the client that oapi-codegen has made, against a service with data: main ADDRESS HANDLE PASSWORD OPENAPI, of an
// administrator, with the description that the client was made of. It writes a discussion and a page, and calls every operation
// that reads.
//
// Every answer has to be of a declared status, be decoded without a failure, and become the same JSON again.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"time"

	forum "forum"
)

// What no program reads as an answer: streams that do not end, and pages that lead a browser elsewhere.
var notForPrograms = map[string]bool{
	"ChangeStream": true, "PluginGetLogs": true, "OAuthAuthorise": true, "OAuthAuthoriseConsent": true,
	"OAuthDeviceConsent": true, "OAuthProviderStart": true, "OAuthRemoteCallback": true,
}

// What is refused to whoever has only signed in, or has nothing of the kind, with the status of its problem.
var refused = map[string]int{
	"AccountErasureGet": 404, "AccountExportGet": 404, "AccountExportDownload": 404, "AdminAccountErasureGet": 404,
	"AdminOAuthClientGet": 404, "FeedCalendar": 404, "InvitationGet": 404, "NodeVersionDraftGet": 404, "NodeVersionGet": 404,
	"OAuthClientGet": 404, "OAuthClientRegistrationGet": 401, "OAuthUserInfo": 401, "PluginDownloadPackage": 404,
	"PluginGet": 404, "PluginGetConfiguration": 404, "PluginGetConfigurationSchema": 404, "WebAuthnGetAssertion": 404,
	"WebhookDeliveryGet": 404, "WebhookDeliveryList": 404, "WebhookGet": 404,
}

// An id that nothing has.
const absent = "00000000000000000000"

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func pointer[T any](value T) *T { return &value }

// The field of an answer in which its JSON is decoded.
var decodedField = regexp.MustCompile(`JSON.*(\d{3})$`)

// decoded answers what the body became, and fails if it did not become anything.
func decoded(name string, answer reflect.Value, status int) any {
	for index := range answer.NumField() {
		found := decodedField.FindStringSubmatch(answer.Type().Field(index).Name)
		if found != nil && found[1] == fmt.Sprint(status) && !answer.Field(index).IsNil() {
			return answer.Field(index).Interface()
		}
	}
	log.Fatalf("%s answered %d, which is not decoded", name, status)
	return nil
}

// same says whether JSON is what a model becomes; times may be written in another way.
func same(sent, back any) bool {
	switch sent := sent.(type) {
	case map[string]any:
		other, is := back.(map[string]any)
		if !is || len(sent) != len(other) {
			return false
		}
		for key, value := range sent {
			if !same(value, other[key]) {
				return false
			}
		}
		return true
	case []any:
		other, is := back.([]any)
		if !is || len(sent) != len(other) {
			return false
		}
		for index, value := range sent {
			if !same(value, other[index]) {
				return false
			}
		}
		return true
	case string:
		other, is := back.(string)
		if is && sent == other {
			return true
		}
		before, err := time.Parse(time.RFC3339, sent)
		after, err2 := time.Parse(time.RFC3339, other)
		return err == nil && err2 == nil && before.Equal(after)
	}
	return reflect.DeepEqual(sent, back)
}

// inspect fails unless an answer has the status that is expected, or any that is no problem, and is decoded.
func inspect(name string, result any, expected int) any {
	answer := reflect.ValueOf(result).Elem()
	response := answer.FieldByName("HTTPResponse").Interface().(*http.Response)
	body := answer.FieldByName("Body").Bytes()
	status := response.StatusCode
	if expected == 0 && status >= 400 || expected != 0 && status != expected {
		log.Fatalf("%s answered %d: %.500s", name, status, body)
	}
	if !strings.Contains(response.Header.Get("Content-Type"), "json") {
		return nil
	}
	value := decoded(name, answer, status)
	written, err := json.Marshal(value)
	check(err)
	var sent, back any
	check(json.Unmarshal(body, &sent))
	check(json.Unmarshal(written, &back))
	if !same(sent, back) {
		log.Fatalf("%s is decoded as something else: %.500s\n%.500s", name, body, written)
	}
	return value
}

// told is what an operation that cannot be refused here answers.
func told[T any](name string, result any, err error) *T {
	check(err)
	return inspect(name, result, 0).(*T)
}

// read calls an operation by its name, with what it requires.
func read(client *forum.ClientWithResponses, name string, path []string, required map[string]string) any {
	method := reflect.ValueOf(client).MethodByName(name + "WithResponse")
	if !method.IsValid() {
		log.Fatalf("The client has no %s", name)
	}
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	for index := 1; index < method.Type().NumIn()-1; index++ {
		kind := method.Type().In(index)
		if index <= len(path) {
			arguments = append(arguments, reflect.ValueOf(path[index-1]).Convert(kind))
			continue
		}
		params := reflect.New(kind.Elem())
		for at := range kind.Elem().NumField() {
			tag, _, _ := strings.Cut(kind.Elem().Field(at).Tag.Get("json"), ",")
			if value, is := required[tag]; is {
				params.Elem().Field(at).Set(reflect.ValueOf(value).Convert(params.Elem().Field(at).Type()))
			}
		}
		arguments = append(arguments, params)
	}
	results := method.Call(arguments)
	if err, failed := results[1].Interface().(error); failed {
		log.Fatalf("%s: %v", name, err)
	}
	return inspect(name, results[0].Interface(), refused[name])
}

// write makes a discussion and a page, and answers what they are found by.
func write(client *forum.ClientWithResponses, handle string) map[string]string {
	ctx := context.Background()
	account, err := client.AccountGetWithResponse(ctx, nil)
	own := told[forum.Account]("AccountGet", account, err)
	title := fmt.Sprintf("Made by a generated client in Go, %d", time.Now().UnixNano())
	listed, err := client.CategoryListWithResponse(ctx)
	category := told[forum.CategoryListResult]("CategoryList", listed, err).Categories[0]
	created, err := client.ThreadCreateWithResponse(ctx, nil, forum.ThreadInitialProps{
		Title: title, Body: pointer("<p>Hello.</p>"), Category: &category.Id, Visibility: pointer(forum.Visibility("published")),
		Tags: &[]string{"generated"}, Url: pointer("https://elsewhere.example/generated"),
	})
	thread := told[forum.Thread]("ThreadCreate", created, err)
	answered, err := client.ReplyCreateWithResponse(ctx, thread.Slug, nil, forum.ReplyInitialProps{Body: "<p>Hello again.</p>"})
	reply := told[forum.Reply]("ReplyCreate", answered, err)
	_, err = client.LikePostAddWithResponse(ctx, thread.Id, nil)
	check(err)
	written, err := client.NodeCreateWithResponse(ctx, nil, forum.NodeInitialProps{
		Name: title, Content: pointer("<p>How.</p>"), Visibility: pointer(forum.Visibility("published")),
	})
	page := told[forum.NodeWithChildren]("NodeCreate", written, err)
	uploaded, err := client.AssetUploadWithBodyWithResponse(ctx, &forum.AssetUploadParams{Filename: pointer("words.txt")},
		"application/octet-stream", strings.NewReader("Words in a file"))
	file := told[forum.Asset]("AssetUpload", uploaded, err)
	return map[string]string{
		"asset_filename": file.Filename, "account_handle": handle, "account_id": own.Id, "category_slug": category.Slug, "client_id": absent,
		"delivery_id": absent, "format": "atom", "icon_size": "512x512", "id": reply.Id, "invitation_id": absent,
		"key": "a key that there is not", "name": "thread-not-found", "node_slug": page.Slug, "oauth_client_id": absent,
		"plugin_instance_id": absent, "post_id": thread.Id, "q": "generated", "tag_name": "generated", "thread_mark": thread.Slug,
		"version_id": absent, "webhook_id": absent,
	}
}

func main() {
	address, handle, password := os.Args[1], os.Args[2], os.Args[3]
	text, err := os.ReadFile(os.Args[4])
	check(err)
	var document struct {
		Paths map[string]map[string]struct {
			OperationId string
			Parameters  []struct {
				Name, In string
				Required bool
			}
		}
	}
	check(json.Unmarshal(text, &document))

	var cookie string
	client, err := forum.NewClientWithResponses(address+"/api", forum.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Cookie", cookie)
			return nil
		}))
	check(err)
	signedIn, err := client.AuthPasswordSigninWithResponse(context.Background(),
		forum.AuthPasswordSigninJSONRequestBody{Identifier: handle, Token: password})
	check(err)
	inspect("AuthPasswordSignin", signedIn, 200)
	cookie, _, _ = strings.Cut(signedIn.HTTPResponse.Header.Get("Set-Cookie"), ";")

	values := write(client, handle)
	for name, list := range map[string][3]string{
		"AuditEventList": {"events", "id", "audit_event_id"}, "CollectionList": {"collections", "slug", "collection_mark"},
		"EventList": {"events", "slug", "event_mark"}, "LinkList": {"links", "slug", "link_slug"},
		"RoleList": {"roles", "id", "role_id"},
	} {
		// Of some lists each entry is one of several types.
		text, err := json.Marshal(read(client, name, nil, nil))
		check(err)
		var found map[string]any
		check(json.Unmarshal(text, &found))
		values[list[2]] = found[list[0]].([]any)[0].(map[string]any)[list[1]].(string)
	}

	reads := 0
	for template, operations := range document.Paths {
		operation, is := operations["get"]
		if !is || notForPrograms[operation.OperationId] {
			continue
		}
		var path []string
		for _, found := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(template, -1) {
			path = append(path, values[found[1]])
		}
		required := map[string]string{}
		for _, parameter := range operation.Parameters {
			if parameter.In == "query" && parameter.Required {
				required[parameter.Name] = values[parameter.Name]
			}
		}
		read(client, operation.OperationId, path, required)
		reads++
	}
	fmt.Printf("The client for Go reads with %d operations\n", reads)
}
