package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	earlyRefresh     = time.Minute
	webhookTolerance = 5 * time.Minute
	longestPause     = 5 * time.Second
	answerBytesMax   = 1 << 20
)

// RefusedError means that the service refused the call and did nothing.
type RefusedError struct {
	Status  int
	Reason  string
	Message string
}

func (e *RefusedError) Error() string { return e.Message }

// UnknownOutcomeError means no answer, or an inconclusive one: the call may have taken effect.
type UnknownOutcomeError struct {
	Err        error
	RetryAfter time.Duration
}

func (e *UnknownOutcomeError) Error() string { return e.Err.Error() }

func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// ErrNotConnected means that there are no usable tokens: the person must authorize again.
var ErrNotConnected = errors.New("not connected")

type Pair struct {
	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token"`
	ExpiresAt    time.Time `json:"expires_at"`
	SavedAt      time.Time `json:"saved_at"`
}

// TokenStore keeps one token pair per user, written as a whole. Encrypt the tokens outside a sandbox.
type TokenStore interface {
	Pair(userID string) (Pair, bool)
	Pairs() map[string]Pair
	SavePair(userID string, pair Pair) error
	DeletePair(userID string) error
}

// ServiceSettings is how to reach the service, and our credentials.
type ServiceSettings struct {
	BaseURL               string   `json:"base_url"`
	AuthURL               string   `json:"auth_url"`
	ClientID              string   `json:"client_id"`
	ClientSecret          string   `json:"client_secret"`
	Provider              string   `json:"provider"`
	WebhookSecret         string   `json:"webhook_secret"`
	PreviousWebhookSecret string   `json:"previous_webhook_secret"`
	RedirectURIs          []string `json:"redirect_uris"`
	TimeoutSeconds        int      `json:"timeout_seconds"`
}

// Plainbook calls the service. Create one per process.
type Plainbook struct {
	settings ServiceSettings
	pairs    TokenStore
	http     http.Client
	// One mutex per user. With several processes, lock the user's row in the database instead.
	locks sync.Map
}

func NewPlainbook(settings ServiceSettings, pairs TokenStore) *Plainbook {
	timeout := 10 * time.Second
	if settings.TimeoutSeconds > 0 {
		timeout = time.Duration(settings.TimeoutSeconds) * time.Second
	}
	client := http.Client{
		Timeout: timeout,
		// Follows no redirects: they could send the credentials to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Plainbook{settings: settings, pairs: pairs, http: client}
}

// Call is one request. Without a token, it uses the client's credentials.
type Call struct {
	Method, Path string
	Body         any
	Key          string
	Token        string
	// Tries overrides the number of tries, for a call that is safe to retry without a key.
	Tries int
}

// Do makes a call. It retries only what is safe to retry: reads, and calls with an idempotency key.
func (p *Plainbook) Do(call Call, answer any) error {
	tries := call.Tries
	if tries == 0 {
		tries = 1
		if call.Method == http.MethodGet || call.Key != "" {
			tries = 3
		}
	}
	for try := 1; ; try++ {
		err := p.send(call, answer)
		var unknown *UnknownOutcomeError
		if !errors.As(err, &unknown) || try == tries {
			return err
		}
		pause := unknown.RetryAfter
		if pause == 0 {
			pause = time.Duration(float64(uint(200)<<try)*(0.5+mathrand.Float64())) * time.Millisecond
		}
		if pause > longestPause {
			return err
		}
		time.Sleep(pause)
	}
}

func (p *Plainbook) send(call Call, answer any) error {
	var body io.Reader
	if call.Body != nil {
		encoded, err := json.Marshal(call.Body)
		if err != nil {
			return err
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(call.Method, p.settings.BaseURL+call.Path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	if call.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if call.Key != "" {
		request.Header.Set("Idempotency-Key", call.Key)
	}
	if call.Token != "" {
		request.Header.Set("Authorization", "Bearer "+call.Token)
	} else {
		request.SetBasicAuth(url.QueryEscape(p.settings.ClientID), url.QueryEscape(p.settings.ClientSecret))
	}
	response, err := p.http.Do(request)
	if err != nil {
		return &UnknownOutcomeError{Err: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax))
	if err != nil {
		return &UnknownOutcomeError{Err: err}
	}
	if response.StatusCode >= 300 {
		return failure(call, response, text)
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return &UnknownOutcomeError{Err: fmt.Errorf("%s %s: %w", call.Method, call.Path, err)}
	}
	return nil
}

func failure(call Call, response *http.Response, text []byte) error {
	switch status := response.StatusCode; {
	case status < 400, status == http.StatusRequestTimeout, status == http.StatusConflict,
		status == http.StatusTooManyRequests, status >= 500:
		seconds, _ := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16)
		err := fmt.Errorf("%s %s: %s", call.Method, call.Path, response.Status)
		return &UnknownOutcomeError{Err: err, RetryAfter: time.Duration(seconds) * time.Second}
	}
	var answer struct {
		Reason      string
		Error       string
		Description string
		OAuthText   string `json:"error_description"`
		Errors      []struct{ Field, Message string }
	}
	// A body in another format is a refusal without a reason.
	_ = json.Unmarshal(text, &answer)
	messages := []string{answer.Description + answer.OAuthText}
	if messages[0] == "" {
		messages[0] = fmt.Sprintf("The service answered %d.", response.StatusCode)
	}
	for _, field := range answer.Errors {
		messages = append(messages, field.Field+": "+field.Message)
	}
	return &RefusedError{response.StatusCode, answer.Reason + answer.Error, strings.Join(messages, " ")}
}

// DoAs calls with the user's access token. If the service refuses the token, DoAs refreshes it and retries once.
func (p *Plainbook) DoAs(userID string, call Call, answer any) error {
	var err error
	if call.Token, err = p.AccessToken(userID); err != nil {
		return err
	}
	err = p.Do(call, answer)
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized {
		return err
	}
	if call.Token, err = p.Refresh(userID, call.Token); err != nil {
		return err
	}
	return p.Do(call, answer)
}

// AccessToken returns the user's access token, refreshed if it expires within a minute.
func (p *Plainbook) AccessToken(userID string) (string, error) {
	pair, ok := p.pairs.Pair(userID)
	if !ok {
		return "", ErrNotConnected
	}
	if time.Until(pair.ExpiresAt) < earlyRefresh {
		return p.Refresh(userID, pair.AccessToken)
	}
	return pair.AccessToken, nil
}

// Refresh replaces an access token. Concurrent callers share one refresh.
func (p *Plainbook) Refresh(userID, oldToken string) (string, error) {
	defer p.lock(userID)()
	pair, ok := p.pairs.Pair(userID)
	if !ok {
		return "", ErrNotConnected
	}
	if pair.AccessToken != oldToken {
		return pair.AccessToken, nil
	}
	// Even if this refresh fails, the old token isn't sent again.
	pair.ExpiresAt = time.Time{}
	if err := p.pairs.SavePair(userID, pair); err != nil {
		return "", err
	}
	body := map[string]string{"grant_type": "refresh_token", "refresh_token": pair.RefreshToken}
	issued := issuedTokens{}
	err := p.Do(Call{Method: http.MethodPost, Path: "/v1/oauth/token", Body: body, Tries: 3}, &issued)
	var refused *RefusedError
	if errors.As(err, &refused) && refused.Reason == "invalid_grant" {
		if err := p.pairs.DeletePair(userID); err != nil {
			return "", err
		}
		return "", ErrNotConnected
	}
	if err != nil {
		return "", err
	}
	return issued.AccessToken, p.pairs.SavePair(userID, issued.pair())
}

// IdlePairs returns the pairs to refresh, because refresh tokens expire after ten days. Weekly is recommended.
func (p *Plainbook) IdlePairs(idle time.Duration) map[string]Pair {
	pairs := p.pairs.Pairs()
	for userID, pair := range pairs {
		if time.Since(pair.SavedAt) < idle {
			delete(pairs, userID)
		}
	}
	return pairs
}

// Disconnect revokes the authorization, then deletes its tokens.
func (p *Plainbook) Disconnect(userID string) error {
	defer p.lock(userID)()
	pair, ok := p.pairs.Pair(userID)
	if !ok {
		return nil
	}
	body := map[string]string{"token": pair.RefreshToken}
	if err := p.Do(Call{Method: http.MethodPost, Path: "/v1/oauth/revoke", Body: body, Tries: 3}, nil); err != nil {
		return err
	}
	return p.pairs.DeletePair(userID)
}

func (p *Plainbook) lock(userID string) (unlock func()) {
	lock, _ := p.locks.LoadOrStore(userID, &sync.Mutex{})
	mutex := lock.(*sync.Mutex)
	mutex.Lock()
	return mutex.Unlock
}

// StartVisit returns the URL to visit, and the state and verifier to store. The field is user_id or user_intent_id.
func (p *Plainbook) StartVisit(customerID, field, id string) (address, state, verifier string, err error) {
	body := map[string]any{
		"provider":      p.settings.Provider,
		"provider_data": map[string]string{"customer_id": customerID},
		field:           id,
	}
	var minted struct{ Token string }
	call := Call{Method: http.MethodPost, Path: "/v1/partner/identity/verification", Body: body}
	if err = p.Do(call, &minted); err != nil {
		return "", "", "", err
	}
	state, verifier = randomText(), randomText()
	challenge := sha256.Sum256([]byte(verifier))
	query := url.Values{
		field:                   {id},
		"session_token":         {minted.Token},
		"client_id":             {p.settings.ClientID},
		"redirect_uri":          {p.settings.RedirectURIs[0]},
		"response_type":         {"code"},
		"state":                 {state},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(challenge[:])},
		"code_challenge_method": {"S256"},
	}
	return p.settings.AuthURL + "/login/oauth/authorize?" + query.Encode(), state, verifier, nil
}

type User struct {
	ID, Status string
	Metadata   map[string]string
}

// Connect exchanges a code and returns its user. It stores the tokens only if the expected person authorized.
func (p *Plainbook) Connect(code, verifier string, isExpected func(User) bool) (User, error) {
	body := map[string]string{
		"grant_type":    "authorization_code",
		"code":          code,
		"redirect_uri":  p.settings.RedirectURIs[0],
		"code_verifier": verifier,
	}
	issued, user := issuedTokens{}, User{}
	// Never retried: a second exchange of a code revokes the first one's tokens.
	if err := p.Do(Call{Method: http.MethodPost, Path: "/v1/oauth/token", Body: body}, &issued); err != nil {
		return user, err
	}
	read := Call{Method: http.MethodGet, Path: "/v1/user", Token: issued.AccessToken}
	if err := p.Do(read, &user); err != nil {
		return user, err
	}
	if !isExpected(user) {
		return user, &RefusedError{Status: http.StatusForbidden, Message: "Someone else authorized. Please try again."}
	}
	// A refresh of the previous tokens may be running, and deletes them if it is refused.
	defer p.lock(user.ID)()
	return user, p.pairs.SavePair(user.ID, issued.pair())
}

type issuedTokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int    `json:"expires_in"`
}

func (i issuedTokens) pair() Pair {
	// Round removes the monotonic clock's reading, which stands still while the machine sleeps.
	now, lifetime := time.Now().Round(0), 2*time.Hour
	if i.ExpiresIn > 0 {
		lifetime = time.Duration(i.ExpiresIn) * time.Second
	}
	return Pair{i.AccessToken, i.RefreshToken, now.Add(lifetime), now}
}

type Event struct {
	Type       string `json:"webhook_type"`
	ID         string `json:"webhook_id"`
	UserID     string `json:"user_id"`
	ResourceID string `json:"resource_id"`
}

// VerifyWebhook returns the event if the current or previous secret signed exactly these bytes recently.
func (p *Plainbook) VerifyWebhook(header http.Header, body []byte) (event Event, ok bool) {
	timestamp := header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > webhookTolerance {
		return event, false
	}
	for _, secret := range []string{p.settings.WebhookSecret, p.settings.PreviousWebhookSecret} {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			continue
		}
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", header.Get("Webhook-Id"), timestamp, body)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		for _, signature := range strings.Fields(header.Get("Webhook-Signature")) {
			if hmac.Equal(expected, []byte(signature)) {
				return event, json.Unmarshal(body, &event) == nil
			}
		}
	}
	return event, false
}

func randomText() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}
