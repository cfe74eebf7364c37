// A shop that pays its sellers through Plainbook: `go run . settings.json`. README.md says how to start it.
package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	business  = "business"
	jobsEvery = 30 * time.Second
	// A payment's name contains its key, so the service's list identifies one whose answer was lost.
	payout       = "Payout "
	notMade      = "not made: "
	routinesPath = "/v1/routines?limit=100"
)

type Settings struct {
	ServiceSettings
	CustomerEndpointSecret string `json:"customer_endpoint_secret"`
	BusinessUserID         string `json:"business_user_id"`
	BusinessUserPhone      string `json:"business_user_phone"`
	OfficePassword         string `json:"office_password"`
	Data                   string `json:"data"`
	RenewAfterDays         *int   `json:"renew_after_days"`
	ReadPeopleAfterMinutes *int   `json:"read_people_after_minutes"`
}

// Shop is what the pages and the jobs do.
type Shop struct {
	settings Settings
	store    *Store
	service  *Plainbook
	hasWork  chan struct{}
	sending  sync.Mutex
	reading  sync.Mutex
}

type BookRequest struct {
	Name          string      `json:"name"`
	Amount        json.Number `json:"amount"`
	SourceID      string      `json:"source_id"`
	DestinationID string      `json:"destination_id"`
}

type Routine struct {
	ID, Name, Status string
}

func (r Routine) key() string { return strings.TrimPrefix(r.Name, payout) }

func OpenShop(settings Settings) (*Shop, error) {
	store, err := OpenStore(settings.Data)
	if err != nil {
		return nil, err
	}
	shop := &Shop{
		settings: settings,
		store:    store,
		service:  NewPlainbook(settings.ServiceSettings, store),
		hasWork:  make(chan struct{}, 1),
	}
	return shop, store.Update(func(state *State) {
		owner := state.Customers[business]
		if owner == nil {
			owner = &Customer{ID: business, FirstName: "The", LastName: "Shop", Status: "approved"}
			state.Customers[business] = owner
		}
		owner.UserID, owner.Phone = settings.BusinessUserID, settings.BusinessUserPhone
	})
}

// SignIn starts a session for a person who has just authenticated. Your sign-in requires a second factor.
func (s *Shop) SignIn(customerID string) (session string, err error) {
	session = randomText()
	return session, s.store.Update(func(state *State) {
		state.Customers[customerID].AuthenticatedAt = time.Now()
		state.Sessions[session] = customerID
	})
}

// SignUp registers a person. Submitting the form again creates no second intent.
func (s *Shop) SignUp(key string, person map[string]any) (customerID string, err error) {
	customerID = fmt.Sprintf("%x", sha256.Sum256([]byte(key)))[:32]
	// Only our own id: never put what people type into metadata.
	person["metadata"] = map[string]string{"customer_id": customerID}
	var created struct{ ID, Status string }
	call := Call{Method: http.MethodPost, Path: "/v1/user_intent", Body: person, Key: key}
	if err := s.service.Do(call, &created); err != nil {
		return "", err
	}
	err = s.store.Update(func(state *State) {
		if state.Customers[customerID] == nil {
			text := func(name string) string { return fmt.Sprint(person[name]) }
			state.Customers[customerID] = &Customer{
				ID: customerID, FirstName: text("first_name"), LastName: text("last_name"), Phone: text("phone"),
				IntentID: created.ID, Status: created.Status, ReadAt: time.Now(),
			}
		}
	})
	if err != nil {
		return "", err
	}
	// Its webhook may have arrived first.
	return customerID, s.syncIntent(created.ID)
}

// syncIntent stores an intent's status. The lock keeps an older answer from replacing a newer one.
func (s *Shop) syncIntent(id string) error {
	s.reading.Lock()
	defer s.reading.Unlock()
	var intent struct {
		Status   string
		Metadata map[string]string
	}
	if err := s.service.Do(Call{Method: http.MethodGet, Path: "/v1/user_intent/" + id}, &intent); err != nil {
		return err
	}
	return s.store.Update(func(state *State) {
		customer := state.Customers[intent.Metadata["customer_id"]]
		// Once the person has authorized, the user's status counts.
		if customer != nil && customer.UserID == "" {
			customer.Status = intent.Status
		}
	})
}

// syncUser stores a user's status, unknown once disconnected, and once it exists, the account to pay.
func (s *Shop) syncUser(id string) error {
	s.reading.Lock()
	defer s.reading.Unlock()
	var user User
	var accounts []Account
	err := s.service.DoAs(id, Call{Method: http.MethodGet, Path: "/v1/user"}, &user)
	if err == nil {
		accounts, err = s.Accounts(id)
	}
	if errors.Is(err, ErrNotConnected) {
		user.Status = "unknown"
	} else if err != nil {
		return err
	}
	return s.store.Update(func(state *State) {
		for _, customer := range state.Customers {
			if customer.UserID != id {
				continue
			}
			customer.Status = user.Status
			if len(accounts) > 0 {
				customer.AccountID = accounts[0].ID
			}
		}
	})
}

func (s *Shop) StartVisit(session string, customer Customer) (address string, err error) {
	field, id := "user_id", customer.UserID
	if id == "" {
		field, id = "user_intent_id", customer.IntentID
	}
	address, state, verifier, err := s.service.StartVisit(customer.ID, field, id)
	if err != nil {
		return "", err
	}
	return address, s.store.Update(func(stored *State) { stored.Visits[state] = Visit{session, verifier} })
}

// Return has the parameters of a redirect back.
type Return struct{ State, Issuer, Code string }

// FinishVisit handles the redirect back: once, from this service, in the same browser session.
func (s *Shop) FinishVisit(session string, customer Customer, returned Return) error {
	var visit Visit
	err := s.store.Update(func(state *State) {
		visit = state.Visits[returned.State]
		delete(state.Visits, returned.State)
	})
	if err != nil {
		return err
	}
	if visit.Session == "" || visit.Session != session || returned.Issuer != s.settings.BaseURL {
		return &RefusedError{Status: http.StatusBadRequest, Message: "We can't match this to a request from you."}
	}
	if returned.Code == "" {
		return &RefusedError{Status: http.StatusForbidden, Message: "You didn't authorize the shop."}
	}
	user, err := s.service.Connect(returned.Code, visit.Verifier, func(user User) bool {
		if customer.UserID != "" {
			return user.ID == customer.UserID
		}
		return user.Metadata["customer_id"] == customer.ID
	})
	if err != nil {
		return err
	}
	err = s.store.Update(func(state *State) { state.Customers[customer.ID].UserID = user.ID })
	if err != nil {
		return err
	}
	return s.syncUser(user.ID)
}

func (s *Shop) Disconnect(customer Customer) error {
	if err := s.service.Disconnect(customer.UserID); err != nil {
		return err
	}
	return s.syncCustomer(customer)
}

type Account struct {
	ID, Name         string
	AvailableBalance float64 `json:"available_balance"`
}

func (s *Shop) Accounts(userID string) ([]Account, error) {
	var answer struct{ Accounts []Account }
	err := s.service.DoAs(userID, Call{Method: http.MethodGet, Path: "/v1/accounts"}, &answer)
	return answer.Accounts, err
}

// Pay stores a payment before sending it. Its key is the form's, so submitting the form again pays once.
func (s *Shop) Pay(key, sellerID string, amount json.Number) error {
	owner, _ := s.store.Customer(business)
	seller, _ := s.store.Customer(sellerID)
	if !seller.canBePaid() {
		return BadFormError("Choose an approved seller who authorized the shop.")
	}
	if owner.AccountID == "" {
		return ErrNotConnected
	}
	// Check the connection before storing, or a job would send the payment later.
	if _, err := s.service.AccessToken(s.settings.BusinessUserID); err != nil {
		return err
	}
	request := BookRequest{payout + key, amount, owner.AccountID, seller.AccountID}
	isNew := false
	err := s.store.Update(func(state *State) {
		if isNew = state.payment(key) == nil; isNew {
			payment := &Payment{Key: key, Seller: seller.FirstName, Status: "unknown", Request: request}
			state.Payments = append(state.Payments, payment)
		}
	})
	if err != nil || !isNew {
		return err
	}
	if err := s.send(key); err != nil {
		log.Printf("Payment %s will be sent again: %v", key, err)
	}
	return nil
}

// send sends a payment that has no routine yet, one at a time, always with the same key.
func (s *Shop) send(key string) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	var payment Payment
	s.store.View(func(state *State) { payment = *state.payment(key) })
	// The service may use the word "unknown" too.
	isUnknown := payment.Status == "unknown" && payment.RoutineID == ""
	if !isUnknown || time.Now().Before(payment.NotBefore) {
		return nil
	}
	call := Call{Method: http.MethodPost, Path: "/v1/routines/book", Body: payment.Request, Key: key}
	var routine Routine
	err := s.service.DoAs(s.settings.BusinessUserID, call, &routine)
	var refused *RefusedError
	if errors.As(err, &refused) {
		// An earlier try may have succeeded. Voiding the key returns its routine, or rules it out.
		var voided struct{ Routine *Routine }
		call.Path, call.Body = "/v1/routines/book/void", nil
		err = s.service.DoAs(s.settings.BusinessUserID, call, &voided)
		if err == nil && voided.Routine == nil {
			return s.changePayment(key, func(payment *Payment) { payment.Status = notMade + refused.Message })
		}
		if voided.Routine != nil {
			routine = *voided.Routine
		}
	}
	var unknown *UnknownOutcomeError
	if errors.As(err, &unknown) {
		// A job sends it again.
		return s.changePayment(key, func(payment *Payment) {
			payment.NotBefore = time.Now().Add(unknown.RetryAfter)
		})
	}
	if err != nil {
		return err
	}
	return s.updatePayment(routine)
}

func (s *Shop) changePayment(key string, change func(*Payment)) error {
	return s.store.Update(func(state *State) { change(state.payment(key)) })
}

// updatePayment copies a routine's status to its payment. A final status never changes.
func (s *Shop) updatePayment(routine Routine) error {
	if routine.Status == "" {
		return errors.New("it has no status")
	}
	return s.store.Update(func(state *State) {
		payment := state.payment(routine.key())
		switch {
		case payment == nil:
			log.Printf("Routine %s isn't one of our payments. Investigate it.", routine.ID)
		case payment.isOpen():
			payment.Status, payment.RoutineID = routine.Status, routine.ID
		}
	})
}

func (s *State) payment(key string) *Payment {
	for _, payment := range s.Payments {
		if payment.Key == key {
			return payment
		}
	}
	return nil
}

// isOpen is true for any status that isn't final, even for one that we don't know.
func (p *Payment) isOpen() bool {
	switch p.Status {
	case "completed", "failed", "cancelled":
		return false
	}
	return !strings.HasPrefix(p.Status, notMade)
}

// readOpenPayments reads the service's list, newest first, until each open payment is found, and returns the rest.
func (s *Shop) readOpenPayments() (missing map[string]bool, err error) {
	missing = map[string]bool{}
	for _, payment := range s.store.Payments() {
		if payment.isOpen() {
			missing[payment.Key] = true
		}
	}
	path := routinesPath
	for len(missing) > 0 && path != "" {
		var page struct {
			Routines []json.RawMessage
			Next     string
		}
		if err := s.readAsBusiness(path, &page); err != nil {
			return nil, err
		}
		for _, item := range page.Routines {
			var routine Routine
			err := json.Unmarshal(item, &routine)
			delete(missing, routine.key())
			if err == nil {
				err = s.updatePayment(routine)
			}
			if err != nil {
				log.Printf("Routine %s wasn't read: %v", routine.ID, err)
			}
		}
		path = ""
		if page.Next != "" {
			path = routinesPath + "&starting_after=" + page.Next
		}
	}
	return missing, nil
}

// settlePayments sends what the list lacks. The list comes first: the service may forget a key after 72 hours.
func (s *Shop) settlePayments() error {
	missing, err := s.readOpenPayments()
	if err != nil {
		return err
	}
	for key := range missing {
		if err := s.send(key); err != nil {
			log.Printf("Payment %s will be sent again: %v", key, err)
		}
	}
	return nil
}

// readPeople reads each person once an hour, because webhooks can get lost.
func (s *Shop) readPeople() error {
	pause := time.Hour
	if s.settings.ReadPeopleAfterMinutes != nil {
		pause = time.Duration(*s.settings.ReadPeopleAfterMinutes) * time.Minute
	}
	for _, customer := range s.store.Customers() {
		if time.Since(customer.ReadAt) < pause {
			continue
		}
		err := s.syncCustomer(customer)
		var refused *RefusedError
		if errors.As(err, &refused) {
			log.Printf("Customer %s wasn't read: %v", customer.ID, err)
		} else if err != nil {
			log.Printf("Customer %s will be read again: %v", customer.ID, err)
			continue
		}
		id := customer.ID
		if err := s.store.Update(func(state *State) { state.Customers[id].ReadAt = time.Now() }); err != nil {
			return err
		}
	}
	return nil
}

// syncCustomer reads the user, or before the person has authorized, an intent without a decision.
func (s *Shop) syncCustomer(customer Customer) error {
	switch {
	case customer.UserID != "":
		return s.syncUser(customer.UserID)
	case customer.Status != "approved" && customer.Status != "rejected":
		return s.syncIntent(customer.IntentID)
	}
	return nil
}

// StoreWebhook stores a verified webhook, once. A job reads its record after we have answered.
func (s *Shop) StoreWebhook(event Event) error {
	err := s.store.Update(func(state *State) {
		if state.Webhooks[event.ID] == nil {
			state.Webhooks[event.ID] = &Webhook{Event: event}
		}
	})
	if err != nil {
		return err
	}
	select {
	case s.hasWork <- struct{}{}:
	default:
	}
	return nil
}

func (s *Shop) processWebhooks() error {
	var waiting []Event
	s.store.View(func(state *State) {
		for _, webhook := range state.Webhooks {
			if !webhook.IsDone {
				waiting = append(waiting, webhook.Event)
			}
		}
	})
	for _, event := range waiting {
		err := s.readRecord(event)
		var refused *RefusedError
		if errors.As(err, &refused) || errors.Is(err, ErrNotConnected) {
			log.Printf("Webhook %s changed nothing: %v", event.ID, err)
		} else if err != nil {
			log.Printf("Webhook %s will be retried: %v", event.ID, err)
			continue
		}
		id := event.ID
		if err := s.store.Update(func(state *State) { state.Webhooks[id].IsDone = true }); err != nil {
			return err
		}
	}
	return nil
}

// readRecord reads an event's record, because webhooks arrive in any order and carry no status.
func (s *Shop) readRecord(event Event) error {
	switch event.Type {
	case "user_intent_updated":
		return s.syncIntent(event.ResourceID)
	case "user_updated":
		return s.syncUser(event.UserID)
	case "routine_updated":
		return s.readRoutine(event.ResourceID)
	case "transfer_updated":
		var transfer struct {
			RoutineID string `json:"routine_id"`
		}
		if err := s.readAsBusiness("/v1/transfers/"+event.ResourceID, &transfer); err != nil {
			return err
		}
		return s.readRoutine(transfer.RoutineID)
	}
	return nil
}

func (s *Shop) readRoutine(id string) error {
	var routine Routine
	if err := s.readAsBusiness("/v1/routines/"+id, &routine); err != nil {
		return err
	}
	return s.updatePayment(routine)
}

func (s *Shop) readAsBusiness(path string, answer any) error {
	return s.service.DoAs(s.settings.BusinessUserID, Call{Method: http.MethodGet, Path: path}, answer)
}

func (s *Shop) renew() error {
	days := 7
	if s.settings.RenewAfterDays != nil {
		days = *s.settings.RenewAfterDays
	}
	for userID, pair := range s.service.IdlePairs(time.Duration(days) * 24 * time.Hour) {
		if _, err := s.service.Refresh(userID, pair.AccessToken); err != nil {
			log.Printf("The tokens of user %s weren't renewed: %v", userID, err)
		}
	}
	return nil
}

// RunJobs never returns. A job that fails is retried in the next round.
func (s *Shop) RunJobs() {
	jobs := []struct {
		name string
		run  func() error
	}{
		{"Processing webhooks", s.processWebhooks},
		{"Settling payments", s.settlePayments},
		{"Reading people", s.readPeople},
		{"Renewing tokens", s.renew},
	}
	for {
		for _, job := range jobs {
			if err := job.run(); err != nil {
				log.Printf("%s failed and will be retried: %v", job.name, err)
			}
		}
		select {
		case <-s.hasWork:
		case <-time.After(jobsEvery):
		}
	}
}

// BadFormError is a message for the person who submitted a form.
type BadFormError string

func (e BadFormError) Error() string { return string(e) }

func newKey() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func clientAddress(request *http.Request) string {
	host, _, _ := net.SplitHostPort(request.RemoteAddr)
	return host
}
