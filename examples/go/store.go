package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

type Customer struct {
	ID, FirstName, LastName, Phone string
	IntentID, UserID, Status       string
	AccountID                      string
	AuthenticatedAt, ReadAt        time.Time
}

func (c Customer) canBePaid() bool {
	return c.ID != business && c.Status == "approved" && c.AccountID != ""
}

type Visit struct{ Session, Verifier string }

type Payment struct {
	Key, Seller, Status, RoutineID string
	Request                        BookRequest
	NotBefore                      time.Time
}

type State struct {
	Customers map[string]*Customer
	Sessions  map[string]string
	Visits    map[string]Visit
	Pairs     map[string]Pair
	Payments  []*Payment
	Webhooks  map[string]*Webhook
}

type Webhook struct {
	Event
	IsDone bool
}

// Store is the state of the shop, for one process. Each change is written to its file at once.
type Store struct {
	path  string
	mutex sync.Mutex
	state State
}

func OpenStore(path string) (*Store, error) {
	store := &Store{path: path, state: State{
		Customers: map[string]*Customer{},
		Sessions:  map[string]string{},
		Visits:    map[string]Visit{},
		Pairs:     map[string]Pair{},
		Webhooks:  map[string]*Webhook{},
	}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return store, nil
	}
	if err != nil {
		return nil, err
	}
	return store, json.Unmarshal(text, &store.state)
}

// View reads the state. Copy what outlives the call.
func (s *Store) View(read func(*State)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	read(&s.state)
}

// Update changes the state and writes a new file in place of the old one, so a crash corrupts neither.
func (s *Store) Update(change func(*State)) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	change(&s.state)
	text, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(s.path+".new", s.path)
}

func (s *Store) Pair(userID string) (pair Pair, ok bool) {
	s.View(func(state *State) { pair, ok = state.Pairs[userID] })
	return pair, ok
}

func (s *Store) Pairs() map[string]Pair {
	pairs := map[string]Pair{}
	s.View(func(state *State) {
		for userID, pair := range state.Pairs {
			pairs[userID] = pair
		}
	})
	return pairs
}

func (s *Store) SavePair(userID string, pair Pair) error {
	return s.Update(func(state *State) { state.Pairs[userID] = pair })
}

func (s *Store) DeletePair(userID string) error {
	return s.Update(func(state *State) { delete(state.Pairs, userID) })
}

func (s *Store) Customer(id string) (customer Customer, ok bool) {
	s.View(func(state *State) {
		if found := state.Customers[id]; found != nil {
			customer, ok = *found, true
		}
	})
	return customer, ok
}

func (s *Store) Customers() (customers []Customer) {
	s.View(func(state *State) {
		for _, customer := range state.Customers {
			customers = append(customers, *customer)
		}
	})
	return customers
}

func (s *Store) Payments() (payments []Payment) {
	s.View(func(state *State) {
		for _, payment := range state.Payments {
			payments = append(payments, *payment)
		}
	})
	return payments
}
