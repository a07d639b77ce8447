package precacher

import (
	"context"
	"time"

	"xship/sources"
)

// freshStreams is the store of streams as a cycle sees it: a stream that ends
// before the next cycle is none, so that its source is resolved again while
// the stream still plays. Errors of the store end the cycle and are told there.
type freshStreams struct {
	sources.StreamStore
	now         func() time.Time
	renewBefore time.Duration
	ttl         time.Duration
	failed      func(error)
}

// CachedStream implements sources.StreamStore.
func (f *freshStreams) CachedStream(ctx context.Context, sourceID string) (*sources.StoredStream, error) {
	s, err := f.StreamStore.CachedStream(ctx, sourceID)
	if ctx.Err() == nil {
		f.tell(err)
	}
	if !s.Fresh(f.now().Add(f.renewBefore), f.ttl) {
		return nil, nil
	}
	return s, nil
}

// PutStream implements sources.StreamStore.
func (f *freshStreams) PutStream(ctx context.Context, sourceID string, s sources.Stream) error {
	f.tell(f.StreamStore.PutStream(ctx, sourceID, s))
	return nil
}

// PutMediaInfo implements sources.StreamStore.
func (f *freshStreams) PutMediaInfo(ctx context.Context, sourceID string, m sources.MediaInfo) error {
	f.tell(f.StreamStore.PutMediaInfo(ctx, sourceID, m))
	return nil
}

// DropStream implements sources.StreamStore.
func (f *freshStreams) DropStream(ctx context.Context, sourceID string) error {
	f.tell(f.StreamStore.DropStream(ctx, sourceID))
	return nil
}

// MarkDead implements sources.StreamStore.
func (f *freshStreams) MarkDead(ctx context.Context, sourceID string) error {
	f.tell(f.StreamStore.MarkDead(ctx, sourceID))
	return nil
}

// MarkNeeds implements sources.StreamStore.
func (f *freshStreams) MarkNeeds(ctx context.Context, sourceID, needs string) error {
	f.tell(f.StreamStore.MarkNeeds(ctx, sourceID, needs))
	return nil
}

func (f *freshStreams) tell(err error) {
	if err != nil {
		f.failed(err)
	}
}
