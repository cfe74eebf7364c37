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
	// What the file contains.
	text []byte
}

func OpenStore(path string) (*Store, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte("{}"), nil
	}
	if err != nil {
		return nil, err
	}
	return &Store{path: path, text: text}, json.Unmarshal(text, &State{})
}

// View reads a copy of the state.
func (s *Store) View(read func(*State)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	read(s.decode())
}

// Update changes a copy of the state, which replaces the state once it is written.
func (s *Store) Update(change func(*State)) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	state := s.decode()
	change(state)
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	if err := replaceFile(s.path, text); err != nil {
		return err
	}
	s.text = text
	return nil
}

func (s *Store) decode() *State {
	state := &State{
		Customers: map[string]*Customer{},
		Sessions:  map[string]string{},
		Visits:    map[string]Visit{},
		Pairs:     map[string]Pair{},
		Webhooks:  map[string]*Webhook{},
	}
	if err := json.Unmarshal(s.text, state); err != nil {
		panic(err)
	}
	return state
}

// replaceFile writes a new file in place of the old one, so a crash corrupts neither.
func replaceFile(path string, text []byte) error {
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_SYNC, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(text); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
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
