#include <stdio.h>
#include <string.h>

#include "hiredis.h"

static const char message[] = "*3\r\n$3\r\none\r\n:-2\r\n:+3\r\n";

int main(void)
{
    redisReader *reader = redisReaderCreate();
    redisReply *reply = NULL;
    redisReaderFeed(reader, message, strlen(message));
    if (redisReaderGetReply(reader, (void **)&reply) != REDIS_OK) {
        printf("the reply cannot be read: %s\n", reader->errstr);
        return 1;
    }
    printf("%d parts: %s %lld %lld\n", (int)reply->elements, reply->element[0]->str, reply->element[1]->integer,
           reply->element[2]->integer);
    return reply->element[2]->integer == 3 ? 0 : 2;
}
