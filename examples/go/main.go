package main

import (
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
)

const bodyBytesMax = 64 << 10

//go:embed pages.html
var files embed.FS

var (
	pages  = template.Must(template.New("").Funcs(template.FuncMap{"label": label}).ParseFS(files, "pages.html"))
	fields = strings.Fields("first_name last_name date_of_birth ssn phone email address1 city state postal_code")
	isKey  = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`).MatchString
	// Without leading zeros, because it is sent as a JSON number.
	isAmount = regexp.MustCompile(`^(0|[1-9][0-9]{0,6})(\.[0-9]{1,2})?$`).MatchString
)

// visitor sent a request. The customer is empty until they sign in.
type visitor struct {
	session  string
	customer Customer
}

// page is a response: a template with its data, or an address to redirect to.
type page struct {
	name, address, cookie string
	data                  any
}

type action func(request *http.Request, v visitor) (page, error)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run . settings.json")
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	settings := Settings{Data: "shop.json"}
	if err := json.Unmarshal(text, &settings); err != nil {
		log.Fatalf("%s: %v", os.Args[1], err)
	}
	if settings.OfficePassword == "" {
		log.Fatalf("Add \"office_password\" to %s.", os.Args[1])
	}
	shop, err := OpenShop(settings)
	if err != nil {
		log.Fatal(err)
	}
	go shop.RunJobs()
	address, err := url.Parse(settings.RedirectURIs[0])
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", address.Host)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("The shop is open at %s://%s", address.Scheme, address.Host)
	server := http.Server{Handler: shop.routes(), ReadTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	log.Fatal(server.Serve(listener))
}

func (s *Shop) routes() http.Handler {
	routes := http.NewServeMux()
	for pattern, act := range map[string]action{
		"GET /":            s.home,
		"POST /sign-up":    s.signUp,
		"POST /sign-in":    s.signIn,
		"POST /authorize":  s.authorize,
		"GET /callback":    s.callback,
		"GET /accounts":    s.accounts,
		"POST /disconnect": s.disconnect,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		routes.Handle(path, s.handler(method, act))
	}
	show, pay := s.handler(http.MethodGet, s.payments), s.handler(http.MethodPost, s.pay)
	routes.HandleFunc("/payments", func(response http.ResponseWriter, request *http.Request) {
		if request.Method == http.MethodPost {
			pay.ServeHTTP(response, request)
		} else {
			show.ServeHTTP(response, request)
		}
	})
	routes.HandleFunc("/webhooks", s.receiveWebhook)
	routes.HandleFunc("/v1/customers/", s.sendCustomer)
	return http.MaxBytesHandler(routes, bodyBytesMax)
}

// handler runs an action for the signed-in customer, and turns its result or error into a page.
func (s *Shop) handler(method string, act action) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if request.Method != method {
			http.Error(response, "Method not allowed", http.StatusMethodNotAllowed)
			return
		}
		var v visitor
		if cookie, err := request.Cookie("session"); err == nil {
			v.session = cookie.Value
			var id string
			s.store.View(func(state *State) { id = state.Sessions[v.session] })
			v.customer, _ = s.store.Customer(id)
		}
		response.Header().Set("Cache-Control", "no-store")
		answer, err := act(request, v)
		if err != nil {
			showError(response, err)
			return
		}
		if answer.cookie != "" {
			// SameSite keeps other sites' forms out. Add Secure behind HTTPS.
			cookie := http.Cookie{Name: "session", Value: answer.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
			http.SetCookie(response, &cookie)
		}
		if answer.address != "" {
			http.Redirect(response, request, answer.address, http.StatusSeeOther)
			return
		}
		show(response, http.StatusOK, answer.name, answer.data)
	})
}

func showError(response http.ResponseWriter, err error) {
	var refused *RefusedError
	var unknown *UnknownOutcomeError
	var badForm BadFormError
	switch {
	case errors.As(err, &refused):
		show(response, refused.Status, "failure", []string{"That didn't work", refused.Message})
	case errors.As(err, &badForm):
		show(response, http.StatusBadRequest, "failure", []string{"Please check the form", string(badForm)})
	case errors.Is(err, ErrNotConnected):
		text := []string{"The connection has ended", "Please authorize the shop again."}
		show(response, http.StatusForbidden, "failure", text)
	case errors.As(err, &unknown):
		text := []string{"The payment service didn't answer", "Please go back and try again. Nothing is done twice."}
		show(response, http.StatusServiceUnavailable, "failure", text)
	default:
		log.Print(err)
		http.Error(response, "Something went wrong.", http.StatusInternalServerError)
	}
}

func show(response http.ResponseWriter, status int, name string, data any) {
	response.Header().Set("Content-Type", "text/html; charset=utf-8")
	response.WriteHeader(status)
	if err := pages.ExecuteTemplate(response, name, data); err != nil {
		log.Print(err)
	}
}

func (s *Shop) home(request *http.Request, v visitor) (page, error) {
	if request.URL.Path != "/" {
		return page{}, &RefusedError{Status: http.StatusNotFound, Message: "Page not found."}
	}
	if v.customer.ID == "" {
		return page{name: "welcome", data: map[string]any{"Key": newKey(), "Fields": fields}}, nil
	}
	return page{name: "home", data: v.customer}, nil
}

func (s *Shop) signUp(request *http.Request, _ visitor) (page, error) {
	key, err := keyOf(request)
	if err != nil {
		return page{}, err
	}
	person := map[string]any{"ip_address": clientAddress(request)}
	for _, name := range fields {
		value := strings.TrimSpace(request.PostFormValue(name))
		if value == "" {
			return page{}, BadFormError("Please fill in " + strings.ToLower(label(name)) + ".")
		}
		person[name] = value
	}
	customerID, err := s.SignUp(key, person)
	if err != nil {
		return page{}, err
	}
	return s.startSession(customerID)
}

func (s *Shop) signIn(request *http.Request, _ visitor) (page, error) {
	if !isEqual(request.PostFormValue("password"), s.settings.OfficePassword) {
		return page{}, &RefusedError{Status: http.StatusForbidden, Message: "That password is wrong."}
	}
	return s.startSession(business)
}

func (s *Shop) startSession(customerID string) (page, error) {
	session, err := s.SignIn(customerID)
	return page{address: "/", cookie: session}, err
}

func (s *Shop) authorize(_ *http.Request, v visitor) (page, error) {
	if err := v.requireSignedIn(); err != nil {
		return page{}, err
	}
	address, err := s.StartVisit(v.session, v.customer)
	return page{address: address}, err
}

func (s *Shop) callback(request *http.Request, v visitor) (page, error) {
	if err := v.requireSignedIn(); err != nil {
		return page{}, err
	}
	query := request.URL.Query()
	returned := Return{State: query.Get("state"), Issuer: query.Get("iss"), Code: query.Get("code")}
	return page{address: "/accounts"}, s.FinishVisit(v.session, v.customer, returned)
}

func (s *Shop) accounts(_ *http.Request, v visitor) (page, error) {
	if err := v.requireSignedIn(); err != nil {
		return page{}, err
	}
	accounts, err := s.Accounts(v.customer.UserID)
	return page{name: "accounts", data: accounts}, err
}

func (s *Shop) disconnect(_ *http.Request, v visitor) (page, error) {
	if err := v.requireSignedIn(); err != nil {
		return page{}, err
	}
	return page{name: "disconnected"}, s.Disconnect(v.customer)
}

func (s *Shop) pay(request *http.Request, v visitor) (page, error) {
	if err := v.requireBusiness(); err != nil {
		return page{}, err
	}
	key, err := keyOf(request)
	if err != nil {
		return page{}, err
	}
	amount := json.Number(strings.TrimSpace(request.PostFormValue("amount")))
	dollars, _ := amount.Float64()
	if !isAmount(amount.String()) || dollars == 0 || dollars > 1_000_000 {
		return page{}, BadFormError("Enter an amount in dollars and cents, such as 10.00.")
	}
	return page{address: "/payments"}, s.Pay(key, request.PostFormValue("customer_id"), amount)
}

func (s *Shop) payments(_ *http.Request, v visitor) (page, error) {
	if err := v.requireBusiness(); err != nil {
		return page{}, err
	}
	_, err := s.readOpenPayments()
	if err != nil {
		log.Print(err)
	}
	var sellers []Customer
	for _, customer := range s.store.Customers() {
		if customer.canBePaid() {
			sellers = append(sellers, customer)
		}
	}
	var refused *RefusedError
	return page{name: "payments", data: map[string]any{
		"Key":           newKey(),
		"IsOutdated":    err != nil,
		"MustAuthorize": errors.As(err, &refused) || errors.Is(err, ErrNotConnected),
		"Sellers":       sellers,
		"Payments":      s.store.Payments(),
	}}, nil
}

func (v visitor) requireSignedIn() error {
	if v.customer.ID == "" {
		return &RefusedError{Status: http.StatusForbidden, Message: "Please sign in."}
	}
	return nil
}

func (v visitor) requireBusiness() error {
	if v.customer.ID != business {
		return &RefusedError{Status: http.StatusForbidden, Message: "Please sign in to the office."}
	}
	return nil
}

// sendCustomer is called by the service for trusted authentication, before it answers our verification request.
func (s *Shop) sendCustomer(response http.ResponseWriter, request *http.Request) {
	if !isEqual(request.Header.Get("Authorization"), "Bearer "+s.settings.CustomerEndpointSecret) {
		http.Error(response, "Unauthorized", http.StatusUnauthorized)
		return
	}
	customer, ok := s.store.Customer(strings.TrimPrefix(request.URL.Path, "/v1/customers/"))
	if !ok || customer.AuthenticatedAt.IsZero() {
		http.NotFound(response, request)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(response).Encode(map[string]string{
		"customer_id":            customer.ID,
		"first_name":             customer.FirstName,
		"last_name":              customer.LastName,
		"phone":                  customer.Phone,
		"lastAuthenticationTime": customer.AuthenticatedAt.UTC().Format("2006-01-02T15:04:05.000Z"),
	})
}

func (s *Shop) receiveWebhook(response http.ResponseWriter, request *http.Request) {
	// The signature covers these bytes, so they are verified before they are parsed.
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(response, "Bad request", http.StatusBadRequest)
		return
	}
	event, ok := s.service.VerifyWebhook(request.Header, body)
	if !ok {
		http.Error(response, "Unauthorized", http.StatusUnauthorized)
		return
	}
	if err := s.StoreWebhook(event); err != nil {
		log.Print(err)
		http.Error(response, "The webhook wasn't stored", http.StatusServiceUnavailable)
		return
	}
	response.WriteHeader(http.StatusNoContent)
}

func label(field string) string {
	words := strings.ReplaceAll(field, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

func keyOf(request *http.Request) (string, error) {
	if key := request.PostFormValue("key"); isKey(key) {
		return key, nil
	}
	return "", BadFormError("Please reload the page and try again.")
}

func isEqual(left, right string) bool {
	return subtle.ConstantTimeCompare([]byte(left), []byte(right)) == 1
}

func (p Payment) Amount() string {
	dollars, _ := p.Request.Amount.Float64()
	return fmt.Sprintf("$%.2f", dollars)
}

func (a Account) Balance() string { return fmt.Sprintf("$%.2f", a.AvailableBalance) }
